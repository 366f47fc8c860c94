"""Whether a series rose or fell in the course of a run.

Source: Mann, "Nonparametric tests against trend", Econometrica 13 (1945); Kendall, "Rank Correlation
Methods", 4th edition (Griffin, 1975), chapters 4 and 5: S counts the pairs of which the later value is the
larger one, less those of which it is the smaller one. It asks for no distribution, and a failed load is
merely the largest.
"""

import math
from functools import cache

import numpy as np

from pronghorn.analysis.times import Times

_MOST_EXACT = 50
"""Up to so many values without ties the distribution of S is computed, beyond it taken for normal."""


def p_of_trend(values: Times) -> float:
    """How often a series without a trend would rise or fall so steadily or more: the Mann-Kendall test, two
    sided. `values` are in the order of time and may be infinite; ties are allowed for."""
    n = len(values)
    s = sum(
        int(np.sum(values[place + 1 :] > value)) - int(np.sum(values[place + 1 :] < value))
        for place, value in enumerate(values)
    )
    _, ties = np.unique(values, return_counts=True)
    if n < 2 or len(ties) == 1:
        return 1.0
    if len(ties) == n and n <= _MOST_EXACT:
        inversions = (n * (n - 1) // 2 - abs(s)) // 2
        return min(1.0, 2 * float(np.sum(_inversions(n)[: inversions + 1])))
    variance = (n * (n - 1) * (2 * n + 5) - float(np.sum(ties * (ties - 1) * (2 * ties + 5)))) / 18
    return math.erfc(max(0, abs(s) - 1) / math.sqrt(2 * variance))


@cache
def _inversions(n: int) -> Times:
    """How likely each number of inversions is in a random order of `n` values (Kendall's recurrence)."""
    shares = np.ones(1)
    for size in range(2, n + 1):
        shares = np.convolve(shares, np.full(size, 1 / size))
    return shares
