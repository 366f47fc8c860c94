"""Between which two of the sorted values a quantile lies with 95 %, whatever the distribution.

The number of values below a quantile is binomial, so the probability that the quantile lies between the l-th
and the u-th smallest value is known without knowing anything else (David & Nagaraja, "Order Statistics"
(2003), section 7.1; Hahn & Meeker, "Statistical Intervals" (1991), section 5.2). At a distribution with atoms
it is larger.
"""

import math
from functools import lru_cache

import numpy as np

from pronghorn.analysis.times import Times

CONFIDENCE = 0.95


@lru_cache(maxsize=4096)
def ranks(n: int, share: float, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """The ranks, from 1, between which the quantile `share` of `n` values lies with `confidence`; None where
    not even the smallest and the largest value hold it.

    Of all such pairs the one with the fewest ranks between, and of these the one whose two risks differ
    least. Near the ends both risks can't be equal, and the whole risk goes to the outer one.
    """
    if n < least(share, confidence):
        return None
    below = _below(n, share)
    lows = np.arange(1, n)
    highs = np.searchsorted(below, below[lows - 1] + confidence - 1e-12) + 1
    allowed = highs <= n
    lows, highs = lows[allowed], highs[allowed]
    narrow = highs - lows == (highs - lows).min()
    lows, highs = lows[narrow], highs[narrow]
    uneven = np.abs(below[lows - 1] - (1 - below[highs - 1]))
    best = int(np.argmin(uneven))
    return int(lows[best]), int(highs[best])


@lru_cache(maxsize=64)
def least(share: float, confidence: float = CONFIDENCE) -> int:
    """From how many values on the smallest and the largest hold the quantile `share` with `confidence`: 6 for
    the median, 299 for p99."""
    n = 2
    while share**n + (1 - share) ** n > 1 - confidence:
        n += 1
    return n


def _below(n: int, share: float) -> Times:
    """At place k the probability that at most k of `n` values lie below the quantile, for k from 0 to
    n - 1."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    k = np.arange(n)
    chance = logs[n] - logs[k] - logs[n - k] + k * math.log(share) + (n - k) * math.log1p(-share)
    return np.asarray(np.cumsum(np.exp(chance)))
