"""Two programs measured side by side: the ratio of each pair, their median, and its interval.

The interval is of order statistics: that the median lies between the k-th least and the k-th largest of n
independent ratios has a probability that the binomial distribution gives, whatever distribution they have
(David & Nagaraja, "Order Statistics", 3rd edition, §7.1). k is the largest for which it is at least 95 %;
with fewer than six pairs there is none, with six to eight it is 1: the interval is their whole range."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A median, and between what it lies; NaN where there are too few pairs."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{self.median:.3f}"
        return f"{self.median:.3f} ({self.low:.3f}–{self.high:.3f})"


def coverage(pairs: int, rank: int) -> float:
    """The probability that the median lies between the `rank`-th least and the `rank`-th largest."""
    beyond = sum(math.comb(pairs, below) for below in range(rank))
    return 1 - 2 * beyond / math.pow(2, pairs)


def of_median(ratios: Sequence[float]) -> Interval:
    """The ratios' median with its interval."""
    ordered = sorted(ratios)
    ranks = [rank for rank in range(1, len(ordered) // 2 + 1) if coverage(len(ordered), rank) >= CONFIDENCE]
    if not ranks:
        return Interval(statistics.median(ordered), math.nan, math.nan)
    return Interval(statistics.median(ordered), ordered[ranks[-1] - 1], ordered[-ranks[-1]])
