"""From an experiment to its blocks: which trial, in which order, on which path decisions.

Everything random here is drawn from the experiment's seed through a label of its own (SHA-256 of seed and
label), so that the same seed gives the same plan, and a cell's draws do not depend on which other cells there
are. Cells that differ in their kernel alone share all draws, so that their blocks are compared one by one."""

import hashlib
import random
from collections.abc import Mapping
from typing import NamedTuple

from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell


class Block(NamedTuple):
    """One trial of every arm of a cell: `order` is the random order of the arms, `path_seed` the seed (u64)
    they share."""

    cell: Cell
    number: int
    order: tuple[str, ...]
    path_seed: int


def derive(seed: int, *label: object) -> int:
    """An unsigned 64-bit number for `label` under the experiment's `seed`."""
    text = "\x1f".join(str(part) for part in (seed, *label))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def make(experiment: Experiment, costs: Mapping[Cell, float]) -> list[Block]:
    """The experiment's blocks in the order in which they are to start.

    `costs` says what a block of each cell costs (any unit). Long blocks tend to start first, lest one of them
    runs alone at the end (Graham 1969, longest processing time first); each cost is weighted by a random
    factor of 1/2 to 2, so that the blocks of different cells stay interleaved."""
    drawn = []
    for cell in experiment.cells():
        for number in range(experiment.repeat):
            shuffler = random.Random(derive(experiment.seed, "order", cell.drawn_as, number))
            order = [arm.name for arm in experiment.arms]
            shuffler.shuffle(order)
            block = Block(cell, number, tuple(order), derive(experiment.seed, "path", cell.drawn_as, number))
            factor = 2 ** random.Random(derive(experiment.seed, "start", cell, number)).uniform(-1, 1)
            drawn.append((-costs[cell] * factor, str(cell), number, block))
    return [block for *_, block in sorted(drawn, key=lambda entry: entry[:3])]
