"""What changes from one kernel to another, and from real to virtual time: arm by arm, over the blocks that
both have.

Cells that differ in their kernel alone share their path seeds, block by block. So blocks are resampled
together, as they are for the arms of one cell. What this machine adds is taken block by block as well: the
median of what the difference between two arms is longer there, which the spread between blocks doesn't widen.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis import kernel_words
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import (
    NO_EFFECT_KNOWN,
    Pairing,
    effects,
    percentiles,
    resampled_medians,
    unresampled,
)
from pronghorn.analysis.figures import finite
from pronghorn.analysis.loaded import makes_no_request
from pronghorn.analysis.numbers import count, listed
from pronghorn.analysis.terms import Terms, block_draws
from pronghorn.analysis.times import Times, times
from pronghorn.analysis.titles import name_cells
from pronghorn.analysis.verdict import MINIMUM_BLOCKS, decide
from pronghorn.model import load
from pronghorn.model.cell import HOST, Cell
from pronghorn.model.kernels import ClockSplit, Difference, KernelChange, Kernels
from pronghorn.model.summary import HIGHER_IS_BETTER, Metric


class _Pair(NamedTuple):
    """The trials of two cells that differ in their kernel alone, with the blocks that both have. The number
    of blocks is fixed where kernels are compared, so that nothing here is looked at more than once."""

    mine: CellTrials
    theirs: CellTrials
    terms: Terms
    title: str
    blocks: frozenset[int]

    @property
    def cell(self) -> Cell:
        return self.mine.cell

    def values(self, arm: str, metric: Metric) -> tuple[Times, Times]:
        """The arm's values on both kernels, block by block."""
        mine, theirs = (
            [trial for trial in cell.of(arm) if trial.block in self.blocks]
            for cell in (self.mine, self.theirs)
        )
        return times(mine, metric), times(theirs, metric)

    def idle(self, arms: Sequence[str]) -> list[str]:
        """Which of the arms make no request on either kernel."""
        return [
            arm for arm in arms if any(makes_no_request(cell.of(arm)) for cell in (self.mine, self.theirs))
        ]


def kernels(measured: Sequence[CellTrials], terms: Sequence[Terms]) -> Kernels:
    """What a run's cells say, which are in the experiment's order and judged by `terms`, a cell each."""
    pairs = list(_pairs(measured, terms))
    return Kernels(
        changes=[_change(pair, arm) for pair in pairs for arm in pair.mine.arms],
        splits=[
            _split(pair, arm)
            for pair in pairs
            if pair.cell.kernel == HOST and pair.cell.client != load.CLIENT
            for arm in pair.mine.arms
            if arm != pair.terms.baseline
        ],
    )


def _pairs(measured: Sequence[CellTrials], terms: Sequence[Terms]) -> Iterator[_Pair]:
    """Each cell beside the one on the first of the guests' kernels."""
    groups: dict[Cell, list[tuple[CellTrials, Terms]]] = defaultdict(list)
    for trials, its_terms in zip(measured, terms, strict=True):
        groups[trials.cell.on_any_kernel].append((trials, its_terms))
    titles = name_cells(list(groups))
    for cell, group in groups.items():
        first = next(trials for trials, _ in group if trials.cell.kernel != HOST)
        for trials, its_terms in group:
            if trials is not first:
                yield _Pair(trials, first, its_terms, titles[cell], _shared(trials, first))


def _shared(one: CellTrials, other: CellTrials) -> frozenset[int]:
    """The numbers of the blocks that both have, over one path seed."""
    mine, theirs = (
        {(trial.block, trial.path_seed) for block in cell.blocks for trial in block.values()}
        for cell in (one, other)
    )
    return frozenset(number for number, _ in mine & theirs)


def _change(pair: _Pair, arm: str) -> KernelChange:
    metric: Metric = "requests_per_second" if pair.cell.client == load.CLIENT else "load"
    terms, blocks = pair.terms, len(pair.blocks)
    one = Pairing("mine", "theirs", "median")
    mine, theirs = pair.values(arm, metric)
    columns = {"mine": mine, "theirs": theirs}
    idle = pair.idle([arm])
    if idle:
        effect = NO_EFFECT_KNOWN
    elif blocks < MINIMUM_BLOCKS:
        effect = unresampled(columns, one)
    else:
        rng = block_draws(pair.cell, terms.seed, "kernels", arm)
        effect = effects(columns, [one], rng, resamples=terms.resamples)[one]
    verdict, reason = decide(
        effect.ratio,
        margin=terms.margin,
        blocks=blocks,
        higher_is_better=metric in HIGHER_IS_BETTER,
        difference=effect.difference,
        margin_of_difference=None if metric in HIGHER_IS_BETTER else terms.margin_s,
    )
    if idle:
        verdict, reason = "undecided", f"{listed(idle)} made no request"
    change = KernelChange(
        **pair.cell.model_dump(),
        title=pair.title,
        arm=arm,
        against=pair.theirs.cell.kernel,
        metric=metric,
        blocks=blocks,
        failed=_failed(mine),
        failed_against=_failed(theirs),
        ratio=finite(effect.ratio.value),
        ci95=(finite(effect.ratio.low), finite(effect.ratio.high)),
        difference=finite(effect.difference.value),
        ci95_difference=(finite(effect.difference.low), finite(effect.difference.high)),
        verdict=verdict,
        reason=reason,
        words="",
    )
    return change.model_copy(update={"words": kernel_words.of_change(change)})


def _failed(values: Times) -> int:
    return int((~np.isfinite(values)).sum())


def _split(pair: _Pair, arm: str) -> ClockSplit:
    terms = pair.terms
    columns = [*pair.values(arm, "load"), *pair.values(terms.baseline, "load")]
    found = np.stack(columns, axis=1)
    idle, failed = pair.idle([arm, terms.baseline]), sum(map(_failed, columns))
    reason = None
    if idle:
        reason = f"{listed(idle)} made no request"
    elif len(found) < MINIMUM_BLOCKS:
        reason = f"it needs more blocks that both clocks have ({len(found)} of at least {MINIMUM_BLOCKS})"
    elif failed:
        reason = f"{count(failed, 'load')} failed, which have no time"
    real = protocols = machine = Difference(s=None, ci95_s=(None, None))
    if reason is None:
        # Beside the arms and their baseline on both clocks: what the difference is longer in real time.
        longer = (found[:, 0] - found[:, 2]) - (found[:, 1] - found[:, 3])
        columns_and_longer = np.column_stack([found, longer])
        rng = block_draws(pair.cell, terms.seed, "clocks", arm)
        drawn = resampled_medians(columns_and_longer, rng, resamples=terms.resamples)
        middle = np.median(columns_and_longer, axis=0)[np.newaxis]
        real = _difference(middle[:, 0] - middle[:, 2], drawn[:, 0] - drawn[:, 2])
        protocols = _difference(middle[:, 1] - middle[:, 3], drawn[:, 1] - drawn[:, 3])
        machine = _difference(middle[:, 4], drawn[:, 4])
    split = ClockSplit(
        **{**pair.cell.model_dump(), "kernel": pair.theirs.cell.kernel},
        title=pair.title,
        arm=arm,
        baseline=terms.baseline,
        blocks=len(found),
        real=real,
        protocols=protocols,
        machine=machine,
        reason=reason,
        words="",
    )
    return split.model_copy(update={"words": kernel_words.of_split(split)})


def _difference(found: Times, drawn: Times) -> Difference:
    low, high = percentiles(drawn, least=-math.inf)
    return Difference(s=finite(float(found[0])), ci95_s=(finite(low), finite(high)))
