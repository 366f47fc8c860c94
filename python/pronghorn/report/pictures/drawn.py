"""All charts of a run, each with the name of its file and the drawing that stands alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.model.summary import CellSummary, Summary
from pronghorn.model.trial import Trial
from pronghorn.report.arrivals_view import ArrivalsView, arrivals_views
from pronghorn.report.chart_data import distinct, named
from pronghorn.report.counted import ByArm, counted
from pronghorn.report.explained import explanations
from pronghorn.report.flights import flights
from pronghorn.report.load_charts import Times, blocks_of, distribution_chart, times_of, violin_chart
from pronghorn.report.overview import compared, overview
from pronghorn.report.parts_chart import parts_view
from pronghorn.report.pictures import falls, flown, handshakes, stacked, streams
from pronghorn.report.pictures.standalone import standalone
from pronghorn.report.site_view import site_views
from pronghorn.report.waterfall import waterfalls
from pronghorn.runs.skim import Whole, as_it_is


class Picture(NamedTuple):
    """A chart: its file's name without an ending, and the SVG."""

    name: str
    svg: str


def pictures(
    summary: Summary, trials: Sequence[Trial], run: Path | None = None, whole: Whole = as_it_is
) -> list[Picture]:
    """The charts of a report, in its order and at its width for windows; `run` is the run's directory, in
    which flights are, and `whole` gives trials with their requests where `trials` lack them."""
    found = list(_drawn(summary, trials, run, whole))
    names = distinct([picture.name for picture in found])
    return [picture._replace(name=name) for picture, name in zip(found, names, strict=True)]


def _drawn(summary: Summary, trials: Sequence[Trial], run: Path | None, whole: Whole) -> Iterator[Picture]:
    by_cell = counted(summary, trials)
    times = {cell: times_of(by_arm) for cell, by_arm in by_cell.items()}
    verdicts = overview(summary)
    if verdicts is not None:
        title = f"{summary.name}: ratios of {compared(summary)} to {summary.baseline}'s"
        yield Picture("verdicts", standalone(title, verdicts.wide))
    for view in explanations(summary):
        if view.wide is not None:
            yield Picture(named("explained", view.heading), standalone(view.heading, view.wide))
    for site in site_views(summary.cells, times):
        yield Picture(named(site.anchor, "violins"), standalone(site.heading, site.violins.wide))
        yield Picture(named(site.anchor, "distributions"), standalone(site.heading, site.distributions.wide))
    arrived = arrivals_views(summary.cells, by_cell, run).of
    for cell in summary.cells:
        yield from _of_cell(cell, by_cell[cell.cell], times[cell.cell], run, whole)
        if cell.cell in arrived:
            yield from _arrived(cell.title, arrived[cell.cell])


def _of_cell(
    cell: CellSummary, by_arm: ByArm, times: Times, run: Path | None, whole: Whole
) -> Iterator[Picture]:
    title = cell.title
    violins = violin_chart(cell, times)
    distribution = distribution_chart(cell, times, blocks_of(by_arm))
    if violins is not None:
        yield Picture(named("violins", title), standalone(f"Load times on {title}", violins.wide))
    if distribution is not None:
        said = f"Share of loads done within a time on {title}"
        yield Picture(named("distribution", title), standalone(said, distribution.wide))
    if (divided := parts_view(cell)) is not None:
        yield Picture(
            named("parts", title), stacked.picture(f"Where the time of loads went on {title}", divided)
        )
    if (fallen := waterfalls(cell, by_arm, whole)) is not None:
        yield Picture(named("waterfalls", title), falls.picture(f"Waterfalls on {title}", fallen))
    if (found := flights(cell, by_arm, run)) is not None and found.panels:
        yield Picture(named("flights", title), flown.picture(f"Flights on {title}", found))


def _arrived(title: str, view: ArrivalsView) -> Iterator[Picture]:
    if view.ladders is not None and view.ladders.drawing is not None:
        yield Picture(named("handshakes", title), handshakes.picture(f"Handshakes on {title}", view.ladders))
    if view.timeline is not None and view.timeline.panels:
        yield Picture(named("timeline", title), streams.picture(f"Timeline on {title}", view.timeline))
