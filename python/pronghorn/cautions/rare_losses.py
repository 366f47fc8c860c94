"""Warnings about cells in which so few loads lost a packet that a mean or a high percentile hangs on them."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.numbers import count
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial

ENOUGH = 10
"""With this many loads of an arm that lost a packet, their figures show what a loss costs: by chance alone
such a number varies by a third."""


class RareLosses(NamedTuple):
    """An arm in a cell of which `hit` of its loads lost a packet, and how many blocks would have enough of
    them, at the rate of the cell's arms together."""

    cell: CellTrials
    arm: str
    hit: int
    blocks: int

    def words(self) -> str:
        """Where it is, and how many they are."""
        loads = count(len(self.cell.blocks), "load")
        return f"{self.hit or 'none'} of {loads} of {self.arm} on {self.cell.cell}"


def cautions(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """The warning."""
    cells = select(trials, [arm.name for arm in experiment.arms]).values()
    found = [one for cell in cells for one in rare_losses(cell)]
    if found:
        fewest = max(found, key=lambda one: one.blocks)
        more = len(found) - 1
        yield Caution(
            "rare-losses",
            f"The path lost a packet in few loads: {fewest.words()}"
            + (f". The same holds for {count(more, 'case')}." if more else "."),
            "Medians are not affected. Means, p90 and higher quantiles depend on what these few loads "
            "cost, and their intervals may be too narrow. If you need them, measure more blocks: about "
            f"{fewest.blocks} (--set repeat={fewest.blocks}) contain {ENOUGH} such loads.",
        )


def rare_losses(cell: CellTrials) -> list[RareLosses]:
    """The arms of which some, but fewer than half and than `ENOUGH`, lost a packet on the way, to the path's
    loss or its corruption; what a full queue drops is the arm's own doing. Of an arm none of which did, as
    well, where others' in the cell did."""
    hits = {arm: sum(_lost(trial) > 0 for trial in cell.of(arm)) for arm in cell.arms}
    every = sum(hits.values())
    if not every:
        return []
    loads = len(cell.blocks)
    needed = math.ceil(ENOUGH * loads * len(cell.arms) / every)
    return [
        RareLosses(cell, arm, hit, needed)
        for arm, hit in hits.items()
        if hit < ENOUGH and 2 * hit < loads and loads < needed
    ]


def _lost(trial: Trial) -> int:
    links = (trial.counters.down, trial.counters.up) if trial.counters else ()
    return sum(link.lost + link.corrupted for link in links if link is not None)
