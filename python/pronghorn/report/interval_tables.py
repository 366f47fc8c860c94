"""The intervals of a cell as tables: of its arms' quantiles, and of every statistic's ratio to the
baseline."""

from typing import NamedTuple

from pronghorn.analysis.figures import QUANTILES
from pronghorn.analysis.numbers import interval, rate, ratio, seconds
from pronghorn.analysis.verdict import LEAST_BLOCKS
from pronghorn.analysis.words import METRICS, STATISTICS
from pronghorn.model.summary import LATENCIES, CellSummary, Comparison, Figures, Metric, Statistic

_SHOWN: tuple[Statistic, ...] = ("median", *QUANTILES)


class Grid(NamedTuple):
    """A table as text: what its rows are, the columns' headings, and each row's name with its entries."""

    caption: str
    rows_are: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def interval_tables(cell: CellSummary, baseline: str) -> list[Grid]:
    """The tables of a cell; none where nothing was measured."""
    if not cell.blocks:
        return []
    return [_of_arms(cell), *filter(None, [_of_ratios(cell, baseline)])]


def _of_arms(cell: CellSummary) -> Grid:
    rows = tuple(
        (name, tuple(_quantile(arm.of(cell.leading), statistic, cell.leading) for statistic in _SHOWN))
        for name, arm in cell.arms.items()
    )
    caption = (
        f"{METRICS[cell.leading].capitalize()}: the two measured values between which each quantile lies"
    )
    return Grid(caption, "arm", tuple(_SHOWN), rows)


def _quantile(figures: Figures, statistic: Statistic, metric: Metric) -> str:
    if statistic in figures.needs:
        return f"from {figures.needs[statistic]} blocks"
    if statistic not in figures.ci95:
        return "–"
    low, high = (_value(end, metric) for end in figures.ci95[statistic])
    return f"{low} to {high}"


def _value(value: float | None, metric: Metric) -> str:
    if value is None:
        return "failed"
    return rate(value) if metric == "requests_per_second" else seconds(value)


def _of_ratios(cell: CellSummary, baseline: str) -> Grid | None:
    found = {
        (one.arm, one.metric, one.statistic): one for one in cell.comparisons if one.metric not in LATENCIES
    }
    statistics = [each for each in STATISTICS if any(statistic == each for _, _, statistic in found)]
    rows = dict.fromkeys((arm, metric) for arm, metric, _ in found)
    if not rows:
        return None
    return Grid(
        f"Ratios to {baseline} with 95 % intervals",
        "arm and metric",
        tuple(STATISTICS[each] for each in statistics),
        tuple(
            (
                f"{arm}, {METRICS[metric]}",
                tuple(_ratio(found.get((arm, metric, each)), cell.blocks) for each in statistics),
            )
            for arm, metric in rows
        ),
    )


def _ratio(found: Comparison | None, blocks: int) -> str:
    if found is None:
        return "–"
    if found.ci95 == (None, None) and blocks < LEAST_BLOCKS[found.statistic]:
        return f"from {LEAST_BLOCKS[found.statistic]} blocks"
    if found.ratio is None:
        return "–"
    shown = f"{ratio(found.ratio, *found.ci95)} ({interval(*found.ci95)})"
    return f"{shown} ?" if found.caution is not None else shown
