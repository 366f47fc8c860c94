"""A cell's table, as text: the load times' figures on the terminal, and more of them in the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from pronghorn.analysis.numbers import listed
from pronghorn.analysis.words import STATISTICS as WORDS
from pronghorn.model.summary import ArmSummary, CellSummary
from pronghorn.report.units import unit_for

STATISTICS = ("median", "mean", "p90", "p99", "min", "max")
"""What fits into 80 columns."""

REPORTED = ("median", "mean", "trimmed_mean", "p75", "p90", "p95", "p99", "min", "max")
THIN_MARK = "*"
NEVER = "failed"
_AVERAGES = ("mean", "trimmed_mean")


@dataclass(frozen=True)
class Row:
    """One arm's row; `figures` stand in the order of the table's headings."""

    arm: str
    figures: tuple[str, ...]
    n: str
    failed: int


@dataclass(frozen=True)
class Table:
    """A cell's rows with the unit of their times; `thin` names the quantiles that are merely the maximum."""

    unit: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    thin: tuple[str, ...]


def table(cell: CellSummary, statistics: Sequence[str] = STATISTICS) -> Table:
    """The load times of a cell's arms. A value that failed trials reach into reads `failed`."""
    arms = cell.arms.values()
    unit = unit_for(getattr(arm, statistic) for arm in arms for statistic in statistics)
    rows = []
    for name, arm in cell.arms.items():
        shown = tuple(_figure(arm, statistic, unit.show(getattr(arm, statistic))) for statistic in statistics)
        rows.append(Row(name, shown, str(arm.n), arm.failed))
    thin = {name for arm in arms for name in arm.thin if name in statistics}
    return Table(unit.symbol, tuple(map(_heading, statistics)), tuple(rows), tuple(sorted(thin)))


def thin_note(found: Table) -> str | None:
    """Why some quantiles bear a mark, or None where none does."""
    if not found.thin:
        return None
    return f"{THIN_MARK} too few trials for {listed(list(found.thin))}: the largest value is shown"


def _heading(statistic: str) -> str:
    return next((words for name, words in WORDS.items() if name == statistic), statistic)


def _figure(arm: ArmSummary, statistic: str, shown: str) -> str:
    if not arm.n or statistic in _AVERAGES:
        return shown
    mark = THIN_MARK if statistic in arm.thin else ""
    return f"{NEVER if getattr(arm, statistic) is None else shown}{mark}"
