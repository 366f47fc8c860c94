"""Load times that fall into two groups: whether a sample has more than one mode, and where its groups part.

Whether it has is Hartigan & Hartigan's dip test (`dip.py`), over logarithms, since delays multiply. Where the
groups part is Fisher's division of a line into two (1958, "On grouping for maximum homogeneity"): the sum of
squares within them is the least. Times far outside would draw it to themselves, so that those beyond the
tenth part on either side count as if they lay there.
"""

import math
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.dip import SIZES, dip, p_value
from pronghorn.analysis.times import Times

LEAST_VALUES = SIZES[0]
"""Nothing is said about fewer values."""

_BEYOND = 0.1


class Modes(NamedTuple):
    """Two groups of logarithms: those up to `border`, and those above it, each with its median and its
    number; `p` is the dip test's."""

    p: float
    border: float
    low: float
    high: float
    below: int
    above: int

    def centres(self, logs: Times) -> Times:
        """The median of the group to which each of `logs` belongs."""
        return np.where(logs <= self.border, self.low, self.high)


def modes(logs: Times, level: float) -> Modes | None:
    """The two groups of finite values; None where they are too few, or may well have a single mode: where
    the dip test's p is above `level`. There may be more than two modes; each lies in one of the groups."""
    if len(logs) < LEAST_VALUES:
        return None
    p = p_value(dip(logs), len(logs))
    if p > level:
        return None
    border = _border(logs)
    lower, upper = logs[logs <= border], logs[logs > border]
    return Modes(p, border, float(np.median(lower)), float(np.median(upper)), len(lower), len(upper))


def _border(logs: Times) -> float:
    """The largest value of the lower group. Values of one distance from each other can't be told apart, so it
    is never the largest of all: whatever has a dip beyond chance has two different values within."""
    ordered = np.sort(logs)
    n = len(ordered)
    cut = math.floor(_BEYOND * n)
    drawn_in = np.clip(ordered, ordered[cut], ordered[n - 1 - cut])
    sums = np.cumsum(drawn_in - drawn_in.mean())
    sizes = np.arange(1, n)
    between = sums[:-1] ** 2 * (1 / sizes + 1 / (n - sizes))
    between[ordered[:-1] == ordered[1:]] = -1.0
    return float(ordered[int(np.argmax(between))])
