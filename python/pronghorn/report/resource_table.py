"""A cell's resources as a table: those first whose times differ most between the arms."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from pronghorn.analysis.correction import RATE
from pronghorn.analysis.numbers import count, interval, listed, percent, ratio, seconds
from pronghorn.analysis.verdict import MINIMUM_BLOCKS
from pronghorn.model.resources import (
    PHASES,
    CellResources,
    ResourceComparison,
    ResourceSummary,
    ResourceTimes,
)
from pronghorn.model.summary import CellSummary
from pronghorn.report.chart_data import ChartData, Value, named

MOST_ROWS = 15
MOST_IN_FILE = 50
LINES = 1500
"""The most resources of a cell's file, and the most lines of all files of a report together, beyond what
tables show; summary.json and an export have all."""

_LONGEST = 48
"""The end of a longer path is shown, in which paths differ."""


class ResourceRow(NamedTuple):
    """One resource: its path (`shown`, where that is long), its kind, what it took over each arm, and each
    arm's ratio to the baseline."""

    path: str
    shown: str
    kind: str
    times: tuple[str, ...]
    ratios: tuple[str, ...]


class ResourceTable(NamedTuple):
    """What is said of a cell's resources, the table's headings and rows, and all figures behind it."""

    said: str
    arms: tuple[str, ...]
    compared: tuple[str, ...]
    rows: tuple[ResourceRow, ...]
    data: ChartData


def most_in_file(cells: int, arms: int) -> int:
    """How many resources a cell's file has in a report of so many cells and arms."""
    return max(MOST_ROWS, min(MOST_IN_FILE, LINES // max(1, cells * arms)))


def resource_table(cell: CellSummary, baseline: str, most: int = MOST_IN_FILE) -> ResourceTable | None:
    """The table of a cell, and a file of `most` resources; None where nobody tells of its resources, it has
    but one, whose time is the load's, or too few blocks to say that any differs."""
    found = cell.resources
    if found is None or len(found.resources) < 2 or found.blocks < MINIMUM_BLOCKS:
        return None
    ordered = sorted(found.resources, key=_effect)
    compared = tuple(arm for arm in cell.arms if arm != baseline)
    return ResourceTable(
        said=_said(found, compared, baseline, shown=min(MOST_ROWS, len(ordered))),
        arms=tuple(cell.arms),
        compared=compared,
        rows=tuple(_row(one, tuple(cell.arms), compared) for one in ordered[:MOST_ROWS]),
        data=_data(cell, ordered, most),
    )


def _effect(one: ResourceSummary) -> tuple[bool, float]:
    """Sorts resources that differ between arms before others, and each kind by the largest difference."""
    differing = [abs(found.difference or math.inf) for found in one.comparisons if _differs(found)]
    all_of_them = [abs(found.difference) for found in one.comparisons if found.difference is not None]
    return not differing, -max(differing or all_of_them or [0.0])


def _differs(found: ResourceComparison) -> bool:
    return found.q_value is not None and found.q_value <= RATE


def _said(found: CellResources, compared: tuple[str, ...], baseline: str, *, shown: int) -> str:
    number = len(found.resources)
    tested = [each for one in found.resources for each in one.comparisons if each.p_value is not None]
    parts = [
        f"{differing or 'none'} over {arm}"
        for arm in compared
        for differing in [sum(_differs(each) for each in tested if each.arm == arm)]
    ]
    said = (
        f"Of this page's {count(number, 'resource')}, {listed(parts)} differ from {baseline} (marked *: "
        f"rank test, q at most {percent(RATE)}, corrected for all resources of the run). Unmarked "
        f"resources are undecided, not equal.{_too_few(tested)} Times are medians, from when the client "
        "learned of a resource to its last byte, with 95 % intervals in brackets; "
        f"{count(found.blocks, 'block')}."
    )
    if shown < number:
        said += f" The table shows the {shown} that differ most."
    if found.left_out:
        said += f" Nothing was recorded about {count(found.left_out, 'more resource')}."
    return said


def _too_few(tested: list[ResourceComparison]) -> str:
    """The least p of n blocks is 2 · 0.5**n, and the least q of a p that is the least of all is p times their
    number, which the other cells' only add to."""
    most = max((each.blocks for each in tested), default=0)
    if not tested or 2 * 0.5**most * len(tested) <= RATE:
        return ""
    those = count(most, "block")
    return f" {those} {'is' if most == 1 else 'are'} too few to mark a resource that differs alone."


def _row(one: ResourceSummary, arms: tuple[str, ...], compared: tuple[str, ...]) -> ResourceRow:
    by_arm = {found.arm: found for found in one.comparisons}
    shown = one.path if len(one.path) <= _LONGEST else f"…{one.path[1 - _LONGEST :]}"
    return ResourceRow(
        path=one.path,
        shown=shown,
        kind=one.kind,
        times=tuple(_time(one.arms.get(arm)) for arm in arms),
        ratios=tuple(_ratio(by_arm.get(arm)) for arm in compared),
    )


def _time(times: ResourceTimes | None) -> str:
    if times is None or not times.n:
        return "–"
    shown = "never" if times.duration.median is None else seconds(times.duration.median)
    return f"{shown}, {times.failed} of {times.n} failed" if times.failed else shown


def _ratio(found: ResourceComparison | None) -> str:
    if found is None or found.ratio is None:
        return "–"
    shown = ratio(found.ratio, *found.ci95)
    if found.ci95 != (None, None):
        shown = f"{shown} ({interval(*found.ci95)})"
    return f"{shown} *" if _differs(found) else shown


_COLUMNS = (
    "resource", "kind", "arm", "n", "failed", "duration_s", "duration_p95_s",
    *(f"{phase}{quantile}_s" for phase in PHASES for quantile in ("", "_p95")),
    "ratio", "ratio_ci95_low", "ratio_ci95_high",
    "difference_s", "difference_ci95_low_s", "difference_ci95_high_s", "p_value", "q_value",
)  # fmt: skip


def _data(cell: CellSummary, ordered: list[ResourceSummary], most: int) -> ChartData:
    kept = ordered[:most]
    about = "Medians and p95 of each resource's time and its phases, and each arm's ratio to the baseline"
    if len(kept) < len(ordered):
        about += f", of the {len(kept)} that differ most (pronghorn report --export has all)"
    return ChartData(
        name=named("resources", cell.title),
        about=about,
        columns=_COLUMNS,
        rows=tuple(row for one in kept for row in _values(one)),
    )


def _values(one: ResourceSummary) -> Iterator[tuple[Value, ...]]:
    by_arm = {found.arm: found for found in one.comparisons}
    for arm, times in one.arms.items():
        spreads = (times.duration, *(times.of(phase) for phase in PHASES))
        figures = [value for spread in spreads for value in (spread.median, spread.p95)]
        found = by_arm.get(arm)
        compared: tuple[Value, ...] = (None,) * 8
        if found is not None:
            compared = (
                found.ratio, *found.ci95, found.difference, *found.ci95_difference,
                found.p_value, found.q_value,
            )  # fmt: skip
        yield (one.path, one.kind, arm, times.n, times.failed, *figures, *compared)
