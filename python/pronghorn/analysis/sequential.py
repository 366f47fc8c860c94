"""Group-sequential boundaries: looks at growing data that together err no more often than one look would.

Whoever looks at an interval after every block, and stops when it pleases, is wrong more often than it says.
So the looks are few and laid down beforehand, and each is given a part of the error: an alpha-spending
function says how much may have been spent when a share of all blocks is there (Lan & DeMets, "Discrete
sequential boundaries for clinical trials", Biometrika 70, 1983). The intervals at these looks, each as wide
as its part asks, hold all at once ("repeated confidence intervals"; Jennison & Turnbull, Journal of the Royal
Statistical Society B 51, 1989), and so at whichever of them sampling stops, for whatever reason.

Why this, and which spending function, was settled by simulation; see docs/methodology.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.bootstrap import CONFIDENCE, RESAMPLES

GROWTH = 1.25
"""Each look has about this many times the blocks of the look before."""

POWER = 1.5
"""How late the error is spent: of all blocks' share t, t to this power of the error (Kim & DeMets, "Design
and analysis of group sequential tests based on the type I error spending rate function", Biometrika 74,
1987)."""

LEAST_TAIL = 1 / RESAMPLES
"""No resample lies further out. A look with a smaller share of the error is skipped."""

Spending = Callable[[float], float]
"""From the share of all blocks, 0 to 1, to the share of the error that may have been spent by then."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_NORMAL = NormalDist()

_Density = npt.NDArray[np.float64]


def power_family(fraction: float) -> float:
    """The spending function in use: `fraction` to the power of `POWER`."""
    return math.pow(fraction, POWER)


@dataclass(frozen=True)
class Boundary:
    """The looks at a cell, in blocks, ascending to the most that it may get; and of each the probability that
    its interval leaves out on either side."""

    looks: tuple[int, ...]
    tails: tuple[float, ...]

    @classmethod
    def between(cls, least: int, most: int) -> "Boundary":
        """That of cells which get `least` to `most` blocks."""
        return _between(least, most, power_family)

    def confidence(self, look: int) -> float:
        """The confidence of one look's interval by itself; it is more than that of all of them together."""
        return 1 - 2 * self.tails[self.looks.index(look)]

    def next_after(self, blocks: int) -> int | None:
        """The first look at more blocks than that; None after the last."""
        return next((look for look in self.looks if look > blocks), None)


def boundary(looks: tuple[int, ...], spending: Spending) -> Boundary:
    """The boundary of the candidate `looks`. One whose part of the error no resample reaches, or not even the
    whole range of its blocks (2 × 0.5**n), is left out, and its part goes to the next."""
    kept: list[int] = []
    tails: list[float] = []
    walk = _Walk()
    spent = 0.0
    for look in looks:
        fraction = look / looks[-1]
        due = (1 - CONFIDENCE) / 2 * spending(fraction)
        found = walk.bound(fraction, due - spent)
        tail = 1 - _NORMAL.cdf(found / math.sqrt(fraction))
        if tail < max(LEAST_TAIL, 0.5**look):
            continue
        walk.step(fraction, found)
        spent = due
        kept.append(look)
        tails.append(tail)
    return Boundary(tuple(kept), tuple(tails))


def spaced(least: int, most: int) -> tuple[int, ...]:
    """Looks from `least` to `most` blocks, each about `GROWTH` times the one before."""
    steps = max(1, round(math.log(most / least) / math.log(GROWTH))) if most > least else 0
    growth = (most / least) ** (1 / steps) if steps else 1.0
    return tuple(sorted({*(round(least * growth**step) for step in range(steps)), most}))


@cache
def _between(least: int, most: int, spending: Spending) -> Boundary:
    return boundary(spaced(least, most), spending)


class _Walk:
    """A Brownian motion that is stopped where it leaves the bounds of the looks so far, ±b each: the density
    of where it is else, at nodes within the last bounds (Armitage, McPherson & Rowe, "Repeated significance
    tests on accumulating data", Journal of the Royal Statistical Society A 132, 1969)."""

    def __init__(self) -> None:
        self._time = 0.0
        self._places: _Density = np.zeros(1)
        self._masses: _Density = np.ones(1)

    def bound(self, time: float, exit_above: float) -> float:
        """The bound at `time` which the motion exceeds with that probability, having left none before."""
        low, high = 0.0, 40.0 * math.sqrt(time)
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self._above(time, middle) > exit_above else (low, middle)
        return high

    def step(self, time: float, bound: float) -> None:
        """Goes on to `time`, where the motion stops outside ±`bound`."""
        deviation = math.sqrt(time - self._time)
        places = bound * _NODES
        kernel = np.exp(-(((places[:, None] - self._places) / deviation) ** 2) / 2)
        density = kernel @ self._masses / (deviation * math.sqrt(2 * math.pi))
        self._time, self._places, self._masses = time, places, bound * _WEIGHTS * density

    def _above(self, time: float, bound: float) -> float:
        scale = math.sqrt(2 * (time - self._time))
        tails = [math.erfc((bound - place) / scale) / 2 for place in self._places]
        return float(np.dot(tails, self._masses))
