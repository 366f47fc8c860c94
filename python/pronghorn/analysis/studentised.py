"""The pivots of studentised (bootstrap-t) intervals for means: a resample's distance from what was measured,
in its own standard errors.

Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), section 12.5; Davison & Hinkley, "Bootstrap
Methods and their Application" (1997), section 5.2. A resample's moments are sums over how often each block
was drawn.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from pronghorn.analysis.times import Times

_LEAST_ERROR = 1e-3
"""The smallest standard error of a resample, as a share of the measured one's: blocks that are all the same
one have none."""

_NONE = 1e-12
"""A relative standard error that is rounding alone."""


class _Pivots(ABC):
    """`value` with its standard error, and the resamples' pivots. `defined` is false where there is no such
    value, `exact` true where it has no error."""

    value: float = math.nan

    def __init__(self, arm: Times, baseline: Times) -> None:
        self._n = len(arm)
        self.defined = self._n > 1 and bool(np.isfinite(arm).all() and np.isfinite(baseline).all())
        self.exact = False
        self._error = self._centre = math.nan
        self._moments = np.empty((0, self._n))
        self._taken: list[Times] = []
        if self.defined:
            self._measure(arm, baseline)

    @abstractmethod
    def _measure(self, arm: Times, baseline: Times) -> None:
        """Sets the value, its error and the moments that the resamples' pivots are made of."""

    @abstractmethod
    def _pivots(self, moments: Times) -> tuple[Times, Times]:
        """How far each resample is from what was measured, and its variance, of its mean moments."""

    @abstractmethod
    def end(self, pivot: float) -> float:
        """The end of an interval that lies `pivot` standard errors below the value."""

    def take(self, shares: Times) -> None:
        """Adds resamples: (blocks, resamples) shares that each block has in them."""
        if not self.defined or self.exact:
            return
        # Not as a product of matrices: BLAS would share it out among threads, which costs more than it saves.
        distance, variance = self._pivots(np.einsum("mb,br->mr", self._moments, shares))
        error = np.sqrt(np.maximum(variance, 0.0) / (self._n - 1))
        self._taken.append(distance / np.maximum(error, _LEAST_ERROR * self._error))

    def reach(self, tail: float) -> float:
        """How many standard errors Student's interval reaches to either side."""
        from scipy.special import stdtrit

        return float(stdtrit(self._n - 1, 1 - tail))

    def values(self) -> Times:
        """The pivots of all resamples."""
        return np.concatenate(self._taken)


class LogRatio(_Pivots):
    """The logarithm of the ratio of two means, with the delta method's standard error of paired means;
    `value` is the ratio. Defined for positive times only."""

    def _measure(self, arm: Times, baseline: Times) -> None:
        self.defined = bool((arm > 0).all() and (baseline > 0).all())
        if not self.defined:
            return
        self.value = float(arm.mean() / baseline.mean())
        relative = arm / arm.mean() - baseline / baseline.mean()
        self._error = float(relative.std(ddof=1)) / math.sqrt(self._n)
        self.exact = self._error <= _NONE
        # About the medians, so that a single huge value costs the resamples without it no digits.
        centres = float(np.median(arm)), float(np.median(baseline))
        mine, theirs = arm / centres[0] - 1, baseline / centres[1] - 1
        self._centre = math.log(centres[0] / centres[1]) - math.log(self.value)
        self._moments = np.stack([mine, theirs, mine**2, theirs**2, mine * theirs])

    def _pivots(self, moments: Times) -> tuple[Times, Times]:
        mine, theirs, square, their_square, product = moments
        above, below = 1 + mine, 1 + theirs
        variance = (square - mine**2) / above**2 + (their_square - theirs**2) / below**2
        distance = np.log(above / below) + self._centre
        return distance, variance - 2 * (product - mine * theirs) / (above * below)

    def end(self, pivot: float) -> float:
        logarithm = math.log(self.value) - pivot * self._error
        return math.exp(logarithm) if logarithm < 700 else math.inf


class Difference(_Pivots):
    """The mean of the blocks' differences between two arms."""

    def _measure(self, arm: Times, baseline: Times) -> None:
        differences = arm - baseline
        self.value = float(differences.mean())
        self._error = float(differences.std(ddof=1)) / math.sqrt(self._n)
        scale = float(np.abs(arm).mean() + np.abs(baseline).mean())
        self.exact = self._error <= _NONE * scale
        # About the median, as above.
        away = differences - np.median(differences)
        self._centre = float(np.median(differences)) - self.value
        self._moments = np.stack([away, away**2])

    def _pivots(self, moments: Times) -> tuple[Times, Times]:
        away, square = moments
        return away + self._centre, square - away**2

    def end(self, pivot: float) -> float:
        return self.value - pivot * self._error
