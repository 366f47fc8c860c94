"""The report as one self-contained HTML file: it fetches nothing, and the same run gives the same bytes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.numbers import count, interval, percent, ratio, seconds
from pronghorn.analysis.times import has_failed
from pronghorn.analysis.words import claim
from pronghorn.model.summary import CellSummary, Summary
from pronghorn.model.trial import Trial
from pronghorn.report import explained, steps
from pronghorn.report.claims import bounds, failed_loads
from pronghorn.report.cpu import CpuTimes, cpu_times
from pronghorn.report.fairness_view import FAIRNESS, FairnessView, fairness_view
from pronghorn.report.flights import Flights, flights
from pronghorn.report.heat_map import heat_map
from pronghorn.report.load_table import HEADINGS, LOAD_NOTE, LoadRow, load_rows
from pronghorn.report.path_counters import LinkReport, link_reports
from pronghorn.report.published_table import published_view
from pronghorn.report.ratios import ratios
from pronghorn.report.svg import NARROW, WIDE
from pronghorn.report.table import STATISTICS, Table, table, thin_note
from pronghorn.report.violins import COLOURS, violins
from pronghorn.report.waterfall import Waterfalls, waterfalls


@dataclass(frozen=True)
class Chart:
    """A drawing at both widths, and what it shows in words for those who don't see it."""

    wide: str
    narrow: str
    label: str


@dataclass(frozen=True)
class CellView:
    """A cell as the template shows it."""

    anchor: str
    summary: CellSummary
    table: Table
    cpu: dict[str, CpuTimes] | None
    thin: str | None
    chart: Chart | None
    links: list[LinkReport]
    falls: Waterfalls | None
    flown: Flights | None
    fairness: FairnessView | None
    load_rows: list[LoadRow]
    load_headings: tuple[str, ...] = HEADINGS
    load_note: str = LOAD_NOTE


def write(
    summary: Summary,
    trials: Sequence[Trial],
    manifest: dict[str, Any],
    path: Path,
    run: Path | None = None,
) -> None:
    """Writes the report of a run to `path`; raises OSError where the file can't be written.

    Of the manifest, `warnings` (`code`, `text`, `remedy`), `paths` (name to PathSpec) and `fairness` are
    looked at, and all of it is shown. `run` is the run's directory, in which its trials' artifacts are; one
    that isn't there or is broken is said to be so. Without it no artifact is looked at.
    """
    path.write_text(document(summary, trials, manifest, run), encoding="utf-8")


def document(
    summary: Summary, trials: Sequence[Trial], manifest: Mapping[str, Any], run: Path | None = None
) -> str:
    """The report of a run as HTML."""
    environment = Environment(
        loader=PackageLoader("pronghorn.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(seconds=seconds, percent=percent, unbroken=unbroken)
    environment.globals.update(claim=claim, ratio=ratio, interval=interval, count=count)
    environment.globals.update(bounds=bounds, failed_loads=failed_loads)
    found = select(trials, summary.arms)
    cells = [
        _view(place, cell, summary, found.get(cell.cell), manifest, run)
        for place, cell in enumerate(summary.cells)
    ]
    return environment.get_template("report.html.j2").render(
        summary=summary,
        cells=cells,
        overview=_overview(summary),
        compared=_compared(summary),
        heat_map=heat_map(summary),
        published=published_view(summary),
        explanations=explained.explanations(summary),
        step_colours=steps.COLOURS,
        manifest={key: value for key, value in manifest.items() if key != FAIRNESS},
        warnings=manifest.get("warnings") or [],
        statistics=STATISTICS,
        colours=COLOURS,
    )


def unbroken(text: str) -> str:
    """`text` with no line break between a number and its unit."""
    return re.sub(r"(?<=\d) (?=(?:%|m?s|blocks?|trials?)(?!\w))", "\u00a0", text)


def _view(
    place: int,
    cell: CellSummary,
    summary: Summary,
    trials: CellTrials | None,
    manifest: Mapping[str, Any],
    run: Path | None,
) -> CellView:
    by_arm = {arm: trials.of(arm) if trials else [] for arm in summary.arms}
    shown = table(cell)
    paths = manifest.get("paths")
    return CellView(
        anchor=f"cell-{place + 1}",
        summary=cell,
        table=shown,
        cpu=cpu_times(by_arm),
        thin=None if cell.makes_loads else thin_note(shown),
        chart=_violins(cell, by_arm),
        links=link_reports(by_arm, paths.get(cell.path) if isinstance(paths, Mapping) else None),
        falls=waterfalls(cell, by_arm),
        flown=flights(cell, by_arm, run),
        fairness=fairness_view(manifest, cell.cell),
        load_rows=load_rows(cell, summary.load_limit_s) if cell.makes_loads else [],
    )


def _violins(cell: CellSummary, by_arm: Mapping[str, Sequence[Trial]]) -> Chart | None:
    times = {
        arm: [None if has_failed(trial) else trial.metrics.load_s for trial in trials]
        for arm, trials in by_arm.items()
    }
    wide, narrow = (violins(cell, times, width) for width in (WIDE, NARROW))
    if wide is None or narrow is None:
        return None
    described = "; ".join(
        f"{name}: median {seconds(arm.median)}, from {seconds(arm.min)} to {seconds(arm.max)}, "
        f"{count(arm.n, 'trial')}, {arm.failed} failed"
        for name, arm in cell.arms.items()
    )
    return Chart(wide, narrow, f"Violin plot of load times on {cell.title}. {described}.")


def _overview(summary: Summary) -> Chart | None:
    wide, narrow = (ratios(summary, width) for width in (WIDE, NARROW))
    if wide is None or narrow is None:
        return None
    described = "; ".join(
        f"{cell.title}, {arm} {found.verdict}: {ratio(found.ratio, *found.ci95)} ({interval(*found.ci95)})"
        for cell in summary.cells
        for arm in summary.arms
        if (found := cell.comparison(arm)) is not None
    )
    return Chart(
        wide, narrow, f"Ratios of {_compared(summary)} to {summary.baseline}'s with intervals. {described}."
    )


def _compared(summary: Summary) -> str:
    """What the verdicts of a run are about."""
    kinds = {cell.makes_loads for cell in summary.cells}
    if kinds == {True}:
        return "median requests per second"
    return "median load times, or of loads requests per second," if True in kinds else "median load times"
