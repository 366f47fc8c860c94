"""What is observed at a point of a map: one bounded log ratio of load times a block."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pronghorn.analysis.times import has_failed
from pronghorn.mapping.domain import Point
from pronghorn.model.trial import Trial

BOUND = math.log(4)
"""A block's log ratio lies within ± this: no block says more than four times as long, nor less than a
quarter."""


@dataclass(frozen=True)
class Observation:
    """A point and its blocks' log ratios of the arm's load time to the baseline's, negative where the arm is
    faster; none where every block was kept out. `unloaded` counts the blocks that were kept out because
    neither arm's load succeeded."""

    point: Point
    log_ratios: tuple[float, ...]
    unloaded: int = 0

    @property
    def mean(self) -> float:
        """The mean log ratio, that is the logarithm of the geometric mean of the ratios."""
        return float(np.mean(self.log_ratios))

    @property
    def barren(self) -> bool:
        """Whether nothing loaded there."""
        return bool(self.unloaded) and not self.log_ratios


def log_ratio(arm: Trial, baseline: Trial) -> float | None:
    """One block's value. A failed load is the worst outcome: it counts as the bound against its arm. None
    where both failed, which says nothing of their ratio."""
    failed, theirs = has_failed(arm), has_failed(baseline)
    if failed and theirs:
        return None
    if failed or theirs:
        return BOUND * (failed - theirs)
    mine, other = arm.metrics.load_s, baseline.metrics.load_s
    if not mine or not other:
        raise ValueError("a load that did not fail has a load time")
    return min(max(math.log(mine / other), -BOUND), BOUND)


def usable(observations: Sequence[Observation]) -> list[Observation]:
    """Those with a block."""
    return [one for one in observations if one.log_ratios]
