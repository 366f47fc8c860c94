"""The interval of a ratio of two arms: the one that a verdict rests on where there is one, else a bootstrap
of the same kind."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, cast

from pronghorn.analysis import stopping
from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.bootstrap import RESAMPLES, Estimate, effects
from pronghorn.analysis.comparing import Asked
from pronghorn.analysis.terms import block_draws
from pronghorn.analysis.times import times
from pronghorn.analysis.verdict import LEAST_BLOCKS, MINIMUM_BLOCKS, minimum_blocks
from pronghorn.checks.known import UNBOUNDED, Interval, ends, inverse
from pronghorn.model.comparison import Comparison, Metric, Statistic
from pronghorn.model.sampling import Sampling
from pronghorn.model.summary import CellSummary, Summary
from pronghorn.model.trial import Cell, Trial


class Pair(NamedTuple):
    """Two arms, of which one stands over the other, in one statistic of a metric."""

    over: str
    under: str
    metric: Metric
    statistic: str


class Measured:
    """A run's summary, the trials that it is of, and the `sampling` that its experiment asked for, None where
    the number of blocks was fixed."""

    def __init__(self, summary: Summary, trials: Sequence[Trial], *, sampling: Sampling | None) -> None:
        self.summary = summary
        self._trials = trials
        self._sampling = sampling

    def interval(self, cell: CellSummary, pair: Pair) -> Interval | None:
        """The 95 % interval of a ratio in a cell; None where none can be had. Of a cell that is sampled by
        a rule it holds at whichever look sampling stops, and has no bound between two looks."""
        stage = self._stage(cell.cell)
        if cell.blocks < max(least_blocks(pair.statistic), minimum_blocks(stage.confidence)):
            return None
        if stage.pending is not None:
            return UNBOUNDED
        if (found := _compared(cell, pair)) is not None:
            return ends(found.ci95)
        if (found := _compared(cell, pair._replace(over=pair.under, under=pair.over))) is not None:
            return inverse(ends(found.ci95))
        estimate = self._bootstrap(cell.cell, pair, stage.confidence)
        if estimate is None or not estimate.low <= estimate.high:
            return None
        return (estimate.low, estimate.high)

    @cached_property
    def _cells(self) -> dict[Cell, CellTrials]:
        return select(self._trials, self.summary.arms)

    def _stage(self, cell: Cell) -> stopping.Stage:
        nothing = CellTrials(cell, tuple(self.summary.arms), ())
        return stopping.stage(self._cells.get(cell, nothing), self._sampling)

    def _bootstrap(self, cell: Cell, pair: Pair, confidence: float) -> Estimate | None:
        if pair.statistic not in LEAST_BLOCKS or cell not in self._cells:
            return None
        asked = Asked(pair.over, pair.under, pair.metric, pair.statistic).pairing
        columns = {column: times(self._cells[cell].of(column.arm), pair.metric) for column in asked.columns}
        rng = block_draws(cell, self.summary.seed)
        found = effects(columns, [asked], rng, resamples=RESAMPLES, confidence=confidence)
        return found[asked].ratio


def least_blocks(statistic: str) -> int:
    """From how many blocks on a statistic's ratio may have an interval."""
    return LEAST_BLOCKS.get(cast(Statistic, statistic), MINIMUM_BLOCKS)


def _compared(cell: CellSummary, pair: Pair) -> Comparison | None:
    for found in cell.comparisons:
        if (found.arm, found.baseline, found.metric, found.statistic) == pair:
            return found
    return None
