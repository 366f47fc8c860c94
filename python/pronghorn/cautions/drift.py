"""Warnings about what changed in the course of a run: the host, or the very difference between two arms."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.drift import p_of_trend
from pronghorn.analysis.numbers import count
from pronghorn.analysis.times import Times, times
from pronghorn.model import load
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial

FALSE_ALARMS = 0.01
"""At most this share of runs without a drift gets each of the warnings. The level of each test is this,
divided by their number (Bonferroni)."""

_LEAST_BLOCKS = 8


class Trend(NamedTuple):
    """A drift: where, of which arm against the baseline (None: of all arms), how unlikely it is by chance,
    and the medians of the first and of the last third of the blocks, of logarithms of times."""

    cell: Cell
    arm: str | None
    p: float
    first: float
    last: float


def cautions(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """The warnings. Of kept clients there are none: their blocks depend on each other."""
    if experiment.kept:
        return
    cells = [
        cell
        for cell in select(trials, [arm.name for arm in experiment.arms]).values()
        if len(cell.blocks) >= _LEAST_BLOCKS
    ]
    differing = differences(cells, experiment.baseline, experiment.margin)
    if differing:
        first = differing[0]
        yield Caution(
            "drift-of-difference",
            f"The difference between arms changed during the run in {count(len(differing), 'case')}. An "
            f"example: {first.arm} over {experiment.baseline} on {first.cell}: ratio "
            f"{_ratio(first.first)} in the first third of the blocks, {_ratio(first.last)} in the last.",
            "The verdict averages two different states, and more blocks don't fix that. Find what "
            "changed (a server that warms up or fills up, a throttled CPU) and measure again.",
        )
    drifting = levels(cells, experiment.margin)
    if drifting:
        first = drifting[0]
        yield Caution(
            "drift",
            "All arms became slower or faster together during the run in "
            f"{count(len(drifting), 'cell')}. An example: {first.cell}: {_change(first)} from the first "
            "third of the blocks to the last.",
            "Ratios within blocks barely change, but medians and quantiles describe a host that changed. "
            "Look for other programs, heat or busy neighbours of a virtual machine. Measure again on a "
            "quiet host.",
        )


def levels(cells: Sequence[CellTrials], margin: float) -> list[Trend]:
    """The cells whose blocks became slower or faster by more than the margin, and every arm in the same
    direction, the clearest first."""
    tested = [(cell.cell, None, series) for cell in cells if (series := _level(cell)) is not None]
    together = {cell.cell for cell in cells if _changed_alike(cell)}
    return [trend for trend in _beyond(tested, margin) if trend.cell in together]


def differences(cells: Sequence[CellTrials], baseline: str, margin: float) -> list[Trend]:
    """The arms whose ratio to the baseline changed by more than the margin, the clearest first."""
    return _beyond(
        [
            (cell.cell, arm, series)
            for cell in cells
            for arm in cell.arms
            if arm != baseline
            if len(series := _difference(cell, arm, baseline)) >= _LEAST_BLOCKS
        ],
        margin,
    )


def _beyond(tested: Sequence[tuple[Cell, str | None, Times]], margin: float) -> list[Trend]:
    found = []
    for cell, arm, series in tested:
        p = p_of_trend(series)
        first, last = _thirds(series)
        if p * len(tested) <= FALSE_ALARMS and abs(last - first) > math.log1p(margin):
            found.append(Trend(cell, arm, p, first, last))
    return sorted(found, key=lambda trend: trend.p)


def _level(cell: CellTrials) -> Times | None:
    """How slow each block was as a whole: the median over its arms of the logarithm's distance from the
    arm's median; None where no arm has a median."""
    middle = [one - np.median(one) for one in _with_median(cell)]
    return np.asarray(np.median(middle, axis=0)) if middle else None


def _changed_alike(cell: CellTrials) -> bool:
    """Whether the arms, each by itself, all became slower from the first to the last third, or all faster;
    of those that have a median."""
    changes = [_thirds(series) for series in _with_median(cell)]
    return all(last > first for first, last in changes) or all(last < first for first, last in changes)


def _with_median(cell: CellTrials) -> list[Times]:
    """The logarithms of the arms' times, of the arms of which less than half failed."""
    blocks = _in_time(cell)
    series = [_logarithms(cell, arm, blocks) for arm in cell.arms]
    return [one for one in series if np.isfinite(np.median(one))]


def _thirds(series: Times) -> tuple[float, float]:
    """The medians of the first and of the last third of a series."""
    third = len(series) // 3
    return float(np.median(series[:third])), float(np.median(series[-third:]))


def _difference(cell: CellTrials, arm: str, baseline: str) -> Times:
    """The logarithm of the ratio of two arms within each block, without those in which both failed: they say
    nothing of the ratio."""
    blocks = _in_time(cell)
    with np.errstate(invalid="ignore"):
        found = _logarithms(cell, arm, blocks) - _logarithms(cell, baseline, blocks)
    return np.asarray(found[~np.isnan(found)])


def _in_time(cell: CellTrials) -> list[int]:
    """The places of a cell's blocks in the order in which they began."""
    began = [min(trial.started for trial in block.values()) for block in cell.blocks]
    return sorted(range(len(began)), key=lambda place: (began[place], place))


def _logarithms(cell: CellTrials, arm: str, blocks: Sequence[int]) -> Times:
    """The logarithms of an arm's times, of loads of the time a request; +inf where it failed."""
    of_loads = cell.cell.client == load.CLIENT
    values = times(cell.of(arm), "requests_per_second" if of_loads else "load")[list(blocks)]
    with np.errstate(divide="ignore"):
        return -np.log(values) if of_loads else np.log(values)


def _ratio(logarithm: float) -> str:
    return "∞" if logarithm == math.inf else f"{math.exp(logarithm):.3g}"


def _change(trend: Trend) -> str:
    change = trend.last - trend.first
    return f"{math.expm1(change):+.1%}".replace("%", " %") if math.isfinite(change) else "failures"
