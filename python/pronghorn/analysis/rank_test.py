"""Whether two arms differ at all: Wilcoxon's signed-rank test over the blocks' log ratios.

Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945). Of arms that are alike,
a block's two times may as well be exchanged, so every pattern of signs is equally likely; the p-value is over
all patterns, with ties at their mean rank. Up to 50 blocks they are counted, beyond the sum of ranks is taken
as normal (Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods" (2014), section 3.1). There is no
margin in it: arms that differ by less than a verdict's count as different here.

Where the loads have two modes far apart, which of them a load fell into drowns a small difference. There the
test is made once more over aligned times, each less the median of its mode (Hodges & Lehmann, "Rank methods
for combination of independent experiments in analysis of variance", Annals of Mathematical Statistics 33
(1962)), and the smaller p counts twice (Bonferroni). The modes are those of both arms' times together, which
are the same whichever of a block's two times is whose: so the patterns of signs stay equally likely, and the
p-value as exact as without.
"""

import math

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.modes import modes
from pronghorn.analysis.times import Times

COUNTED = 50
"""Up to this number of blocks all patterns of signs are counted."""

ALIGNED = range(10, 501)
"""Between these numbers of blocks modes are looked for. Fewer blocks can't afford that p counts twice; more
find small differences anyway."""

_LEVEL = 0.05
"""At which level of the dip test there are two modes. The p-values hold whichever it is."""

_STRADDLING = 0.75
"""If in more than this share of blocks one time lies in each mode, the modes are the arms themselves. Arms
that fall into modes independently do so in half of the blocks at most."""


def p_value(arm: Times, baseline: Times) -> float | None:
    """The two-sided p-value; None without blocks.

    The values are one a block, in the same order; +inf, or a rate of 0, stands for a failed trial, which is
    the worst there is. Blocks in which the arms are equal, or both failed, say nothing and are left out.
    """
    if not len(arm):
        return None
    with np.errstate(divide="ignore"):
        mine, theirs = np.log(arm), np.log(baseline)
    plain = _signed_rank(mine, theirs)
    aligned = _aligned(mine, theirs)
    return plain if aligned is None else min(1.0, 2 * min(plain, _signed_rank(*aligned)))


def _aligned(mine: Times, theirs: Times) -> tuple[Times, Times] | None:
    """The logarithms less the median of the mode into which each fell; None where they have a single one, or
    the modes are the arms."""
    if len(mine) not in ALIGNED:
        return None
    together = np.concatenate([mine, theirs])
    found = modes(together[np.isfinite(together)], _LEVEL)
    if found is None:
        return None
    straddling = (mine <= found.border) != (theirs <= found.border)
    if straddling.mean() > _STRADDLING:
        return None
    return mine - found.centres(mine), theirs - found.centres(theirs)


def _signed_rank(mine: Times, theirs: Times) -> float:
    with np.errstate(invalid="ignore"):
        differences = mine - theirs
    differences = differences[~np.isnan(differences) & (differences != 0)]
    if not len(differences):
        return 1.0
    doubled = doubled_ranks(np.abs(differences))
    positive = int(doubled[differences > 0].sum())
    return _counted(doubled, positive) if len(differences) <= COUNTED else _normal(doubled, positive)


def doubled_ranks(values: Times) -> npt.NDArray[np.int64]:
    """Twice the rank of each value from the smallest, 1; equal values share the mean of their ranks."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((2 * last - sizes + 1)[group], dtype=np.int64)


def _counted(doubled: npt.NDArray[np.int64], positive: int) -> float:
    total = int(doubled.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2
        chances[:rank] /= 2
    least = min(positive, total - positive)
    return min(1.0, 2 * float(chances[: least + 1].sum()))


def _normal(doubled: npt.NDArray[np.int64], positive: int) -> float:
    spread = math.sqrt(float((doubled.astype(np.float64) ** 2).sum())) / 2
    away = abs(positive - float(doubled.sum()) / 2) / spread
    return math.erfc(away / math.sqrt(2))
