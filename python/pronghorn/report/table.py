"""A cell's table, as text: the same columns on the terminal and in the report."""

from dataclasses import dataclass

from pronghorn.model.summary import ArmSummary, CellSummary
from pronghorn.report.units import unit_for

STATISTICS = ("median", "mean", "p90", "p99", "min", "max")
THIN_MARK = "*"
NEVER = "failed"


@dataclass(frozen=True)
class Row:
    """One arm's row; `figures` stand in the order of `STATISTICS`."""

    arm: str
    figures: tuple[str, ...]
    n: str
    failed: int


@dataclass(frozen=True)
class Table:
    """A cell's rows with the unit of their times; `thin` names the quantiles that are merely the maximum."""

    unit: str
    rows: tuple[Row, ...]
    thin: tuple[str, ...]


def table(cell: CellSummary) -> Table:
    """The load times of a cell's arms. A value that failed trials reach into reads `failed`."""
    arms = cell.arms.values()
    unit = unit_for(getattr(arm, statistic) for arm in arms for statistic in STATISTICS)
    rows = []
    for name, arm in cell.arms.items():
        shown = tuple(_figure(arm, statistic, unit.show(getattr(arm, statistic))) for statistic in STATISTICS)
        rows.append(Row(name, shown, str(arm.n), arm.failed))
    return Table(unit.symbol, tuple(rows), tuple(sorted({name for arm in arms for name in arm.thin})))


def thin_note(found: Table) -> str | None:
    """Why some quantiles bear a mark, or None where none does."""
    if not found.thin:
        return None
    return f"{THIN_MARK} too few trials for {' and '.join(found.thin)}: the largest value is shown"


def _figure(arm: ArmSummary, statistic: str, shown: str) -> str:
    if not arm.n or statistic == "mean":
        return shown
    mark = THIN_MARK if statistic in arm.thin else ""
    return f"{NEVER if getattr(arm, statistic) is None else shown}{mark}"
