"""What a cell is judged by, and what draws its blocks."""

from dataclasses import dataclass

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.analysis.stopping import FIXED, Stage
from pronghorn.model.cell import PLACES
from pronghorn.model.sampling import Sampling
from pronghorn.model.trial import Cell


@dataclass(frozen=True)
class Terms:
    """What a cell is judged by: `margin` is a fraction, `margin_s` the one in seconds, where there is one,
    `seed` the experiment's, `title` the cell's name in words. Loads that are `timed` last as long as they
    were asked to: no comparison is made of that. With `sampling` the cell is sampled until its answer is
    known, and stands at `stage`.
    """

    title: str
    baseline: str
    margin: float
    seed: int
    resamples: int
    timed: bool = False
    margin_s: float | None = None
    sampling: Sampling | None = None
    stage: Stage = FIXED


def block_draws(cell: Cell, seed: int, *label: str) -> np.random.Generator:
    """What draws the blocks of a cell. All of its statistics rest on the same draws, whichever arms they
    compare, and so do its explanations; a `label` tells others from these."""
    return generator(seed, "bootstrap", *(getattr(cell.drawn_as, key) for key in PLACES), *label)
