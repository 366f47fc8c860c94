"""Whether two arms differ at all: Wilcoxon's signed-rank test over the blocks' log ratios.

Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945). Of arms that are alike,
a block's two times may as well be exchanged, so every pattern of signs is equally likely; the p-value is over
all patterns, with ties at their mean rank. Up to 50 blocks they are counted, beyond the sum of ranks is taken
as normal (Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods" (2014), section 3.1). There is no
margin in it: arms that differ by less than a verdict's count as different here.
"""

import math

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.times import Times

COUNTED = 50
"""The largest number of blocks of which all patterns of signs are counted."""


def p_value(arm: Times, baseline: Times) -> float | None:
    """The two-sided p-value; None without blocks.

    The values are one a block, in the same order; +inf, or a rate of 0, stands for a failed trial, which is
    the worst there is. Blocks in which the arms are equal, or both failed, say nothing and are left out.
    """
    if not len(arm):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(arm) - np.log(baseline)
    logs = logs[~np.isnan(logs) & (logs != 0)]
    if not len(logs):
        return 1.0
    doubled = doubled_ranks(np.abs(logs))
    positive = int(doubled[logs > 0].sum())
    return _counted(doubled, positive) if len(logs) <= COUNTED else _normal(doubled, positive)


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
