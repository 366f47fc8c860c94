"""How probably an arm is the better one in a block.

The probability of superiority (Vargha & Delaney, "A critique and improvement of the CL common language effect
size statistics", 2000), taken within blocks. Its interval is Clopper & Pearson's (1934), at least 95 %
whatever the probability. Ties count half on either side, for which that interval, continued between whole
numbers, is wider than needs be.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.times import Times

CONFIDENCE = 0.95


class Superiority(NamedTuple):
    """In how many of `blocks` blocks an arm was `better` than the baseline, and in how many they were
    `alike`; the `share`, with half of these, and its interval."""

    better: int
    alike: int
    blocks: int
    share: float
    low: float
    high: float


def superiority(
    arm: Times, baseline: Times, *, higher_is_better: bool, confidence: float = CONFIDENCE
) -> Superiority | None:
    """How often `arm` is better; None without blocks. The values are one a block, in the same order; +inf, or
    a rate of 0, stands for a failed trial, and two of them are alike."""
    blocks = len(arm)
    if not blocks:
        return None
    better = int(np.sum(arm > baseline if higher_is_better else arm < baseline))
    alike = int(np.sum(arm == baseline))
    doubled = 2 * better + alike
    low, high = _interval(doubled, blocks, confidence)
    return Superiority(better, alike, blocks, doubled / (2 * blocks), low, high)


@lru_cache(maxsize=65536)
def _interval(doubled: int, blocks: int, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    successes, tail = doubled / 2, (1 - confidence) / 2
    low = float(betaincinv(successes, blocks - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, blocks - successes, 1 - tail)) if successes < blocks else 1.0
    return low, high
