"""The report as one self-contained HTML file: it fetches nothing, and the same run gives the same bytes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from pronghorn.analysis.failing import with_detail
from pronghorn.analysis.loaded import left_out
from pronghorn.analysis.numbers import count, interval, percent, ratio, seconds
from pronghorn.analysis.words import within
from pronghorn.model.summary import CellSummary, Summary
from pronghorn.model.trial import Trial
from pronghorn.pages import templates
from pronghorn.report import explained, steps
from pronghorn.report.answer import answer
from pronghorn.report.arrivals_view import ArrivalsView, arrivals_views
from pronghorn.report.claims import bounds, failed_loads
from pronghorn.report.counted import ByArm, counted
from pronghorn.report.cpu import CpuTimes, cpu_times
from pronghorn.report.fairness_view import FAIRNESS, FairnessView, fairness_view
from pronghorn.report.figure import Chart
from pronghorn.report.flights import Flights, flights
from pronghorn.report.heat_map import heat_map
from pronghorn.report.interval_tables import Grid, interval_tables
from pronghorn.report.kernels_view import kernels_view
from pronghorn.report.load_charts import Times, blocks_of, distribution_chart, times_of, violin_chart
from pronghorn.report.load_table import HEADINGS, LOAD_NOTE, LoadRow, load_rows
from pronghorn.report.overview import figures
from pronghorn.report.own_map import map_of_batch, own_map
from pronghorn.report.parts_chart import PartsView, parts_view
from pronghorn.report.path_counters import LinkReport, is_ipv6, link_reports
from pronghorn.report.published_table import published_view
from pronghorn.report.resource_table import ResourceTable, most_in_file, resource_table
from pronghorn.report.script import script
from pronghorn.report.site_view import site_views
from pronghorn.report.stacks_view import stacks_view
from pronghorn.report.table import REPORTED, Table, table, thin_note
from pronghorn.report.violins import COLOURS
from pronghorn.report.waterfall import Waterfalls, waterfalls
from pronghorn.runs.skim import Whole, as_it_is


@dataclass(frozen=True)
class CellView:
    """A cell as the template shows it."""

    anchor: str
    summary: CellSummary
    table: Table
    cpu: CpuTimes | None
    thin: str | None
    chart: Chart | None
    distribution: Chart | None
    links: list[LinkReport]
    ipv6: bool
    falls: Waterfalls | None
    flown: Flights | None
    arrived: ArrivalsView | None
    fairness: FairnessView | None
    load_rows: list[LoadRow]
    intervals: list[Grid]
    resources: ResourceTable | None
    parts: PartsView | None
    load_headings: tuple[str, ...] = HEADINGS
    load_note: str = LOAD_NOTE


def write(
    summary: Summary,
    trials: Sequence[Trial],
    manifest: dict[str, Any],
    path: Path,
    run: Path | None = None,
    whole: Whole = as_it_is,
) -> None:
    """Writes the report of a run to `path`; raises OSError where the file can't be written.

    Of the manifest, `warnings` (`code`, `text`, `remedy`), `paths` (name to PathSpec) and `fairness` are
    looked at, and all of it is shown. `run` is the run's directory, in which its trials' artifacts are; one
    that isn't there or is broken is said to be so. Without it no artifact is looked at. `whole` gives
    trials with their requests where `trials` lack them.
    """
    path.write_text(document(summary, trials, manifest, run, whole), encoding="utf-8")


def document(
    summary: Summary,
    trials: Sequence[Trial],
    manifest: Mapping[str, Any],
    run: Path | None = None,
    whole: Whole = as_it_is,
) -> str:
    """The report of a run as HTML."""
    by_cell = counted(summary, trials)
    times = {cell: times_of(by_arm) for cell, by_arm in by_cell.items()}
    arrived = arrivals_views(summary.cells, by_cell, run)
    cells = [
        _view(
            place,
            cell,
            summary,
            by_cell[cell.cell],
            times[cell.cell],
            manifest,
            run,
            whole,
            arrived.of.get(cell.cell),
        )
        for place, cell in enumerate(summary.cells)
    ]
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            summary=summary,
            cells=cells,
            sites=site_views(summary.cells, times),
            first_lines=summary.first_lines(),
            answer=answer(summary, [view.anchor for view in cells]),
            figures=figures(summary),
            heat_map=heat_map(summary),
            published=published_view(summary),
            explanations=explained.explanations(summary),
            step_colours=steps.COLOURS,
            kernels_view=kernels_view(summary),
            stacks_view=stacks_view(summary),
            manifest={key: value for key, value in manifest.items() if key != FAIRNESS},
            warnings=manifest.get("warnings") or [],
            colours=COLOURS,
            arrived=arrived,
            own_map=own_map(run),
            map_of_batch=map_of_batch(run),
            script=script("timeline.js") if arrived.moves else None,
        )
    )


@cache
def _templates() -> Environment:
    environment = templates("pronghorn.report")
    environment.filters.update(seconds=seconds, percent=percent, unbroken=unbroken)
    environment.globals.update(
        left_out=left_out, with_detail=with_detail, within=within, ratio=ratio, interval=interval, count=count
    )
    environment.globals.update(bounds=bounds, failed_loads=failed_loads)
    return environment


def unbroken(text: str) -> str:
    """`text` with no line break within a number or a range, nor between a number and its unit."""
    text = re.sub(r"(?<=[\d%]) to (?=[\d∞])", "\u00a0to\u00a0", text)
    return re.sub(r"(?<=\d) (?=(?:%|m?s|blocks?|trials?|\d{3})(?!\w))", "\u00a0", text)


def _view(
    place: int,
    cell: CellSummary,
    summary: Summary,
    by_arm: ByArm,
    times: Times,
    manifest: Mapping[str, Any],
    run: Path | None,
    whole: Whole,
    arrived: ArrivalsView | None,
) -> CellView:
    shown = table(cell, REPORTED)
    paths = manifest.get("paths")
    path = paths.get(cell.path) if isinstance(paths, Mapping) else None
    return CellView(
        anchor=f"cell-{place + 1}",
        summary=cell,
        table=shown,
        cpu=cpu_times(by_arm),
        thin=None if cell.makes_loads else thin_note(shown),
        chart=violin_chart(cell, times),
        distribution=distribution_chart(cell, times, blocks_of(by_arm)),
        links=link_reports(by_arm, path),
        ipv6=is_ipv6(path),
        falls=waterfalls(cell, by_arm, whole),
        flown=flights(cell, by_arm, run),
        arrived=arrived,
        fairness=fairness_view(manifest, cell.cell),
        load_rows=load_rows(cell, summary.load_limit_s) if cell.makes_loads else [],
        intervals=interval_tables(cell, summary.baseline),
        resources=resource_table(cell, summary.baseline, most_in_file(len(summary.cells), len(summary.arms))),
        parts=parts_view(cell),
    )
