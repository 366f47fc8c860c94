"""By how much clients differ whose networks look alike to a gateway: an estimate of `between_clients`.

A run's cells that have about the same round trip, loss and rate are a group. What a policy's surface
foretells for a group may be wrong, but it is wrong for all of it alike; so only distances from the group's
own mean count. They scatter by the networks' own difference and by the noise of their blocks, which is known:
the random-effects model of a meta-analysis, its variance by the method of Paule & Mandel ("Consensus Values
and Weighting Factors", J. Res. NBS 87, 1982), the interval by Q's profile (Viechtbauer, "Confidence Intervals
for the Amount of Heterogeneity in Meta-Analysis", Statistics in Medicine 26, 2007), both with a mean a group.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.errors import InputError
from pronghorn.mapping.domain import LOSS_BEND, Array, Point
from pronghorn.mapping.noise import SHARED_DF
from pronghorn.mapping.observed import BOUND
from pronghorn.policy.measured import MeasuredCell

REACH = 0.15
"""Cells look alike whose round trips, rates and 1 + loss / 0.1 % differ by at most this share."""

_BAND = (0.025, 0.975)
_MOST_VARIANCE = 4.0
_HALVINGS = 60

Surface = Callable[[str, Point], float]
"""What a policy's surface foretells of a congestion control at a point, as ln ratio."""


class Spread(NamedTuple):
    """The standard deviation of the ln ratio between networks that look alike, with its 95 % interval: of so
    many `cells` in so many `groups`."""

    cells: int
    groups: int
    sd: float
    low: float
    high: float


def of_cells(cells: Sequence[MeasuredCell], surface: Surface) -> dict[str, Spread]:
    """By congestion control. InputError where no two of the cells look alike."""
    groups = _groups(cells)
    if len(set(groups)) == len(groups):
        raise InputError(
            "--alike: no two of the run's paths have about the same round trip, loss and rate.",
            hint="experiments/gateway-alike.toml is a run that has.",
        )
    found: dict[str, Spread] = {}
    for control in sorted({control for cell in cells for control in cell.times}):
        ratios = [_log_ratios(cell.times[control]) for cell in cells]
        points = [Point(cell.rtt_ms / 1e3, cell.loss, cell.rate_mbit * 1e6) for cell in cells]
        foretold = np.array([surface(control, point) for point in points])
        means = np.array([one.mean() for one in ratios])
        found[control] = spread(means - foretold, _variances(ratios), groups)
    return found


def pooled(spreads: Sequence[Spread]) -> float:
    """One standard deviation of all, by the cells that each has to spare."""
    freedom = [one.cells - one.groups for one in spreads]
    squares = sum(free * one.sd**2 for free, one in zip(freedom, spreads, strict=True))
    return math.sqrt(squares / sum(freedom))


def spread(distances: Array, variances: Array, groups: Sequence[int]) -> Spread:
    """Of cells (n,) whose distances from what was foretold have noise of known variances (n,), by the
    numbers of their groups."""
    from scipy.stats import chi2

    _, members, sizes = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    count = int(np.count_nonzero(sizes > 1))
    freedom = len(members) - len(sizes)  # a group of one has none: its mean is its own

    def heterogeneity(variance: float) -> float:
        weights = 1 / (variances + variance)
        means = np.bincount(members, weights * distances) / np.bincount(members, weights)
        return float((weights * (distances - means[members]) ** 2).sum())

    high, low = (float(chi2.ppf(share, freedom)) for share in _BAND)  # Q falls where the variance grows
    return Spread(
        cells=int(sizes[sizes > 1].sum()),
        groups=count,
        sd=math.sqrt(_where(heterogeneity, float(freedom))),
        low=math.sqrt(_where(heterogeneity, low)),
        high=math.sqrt(_where(heterogeneity, high)),
    )


def _where(falling: Callable[[float], float], level: float) -> float:
    """The variance at which a function that falls with it comes to a level; 0 where it is never above."""
    if falling(0.0) <= level:
        return 0.0
    low, high = 0.0, _MOST_VARIANCE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return (low + high) / 2


def _groups(cells: Sequence[MeasuredCell]) -> list[int]:
    """Of each cell the number of its group: that of the first cell of its site that it looks like."""
    reach = math.log1p(REACH)
    sites = np.array([cell.name.partition("/")[0] for cell in cells])
    scaled = np.array(
        [
            [math.log(cell.rtt_ms), math.log1p(cell.loss / LOSS_BEND), math.log(cell.rate_mbit)]
            for cell in cells
        ]
    )
    apart = np.abs(scaled[:, None, :] - scaled[None, :, :]).max(axis=2)
    alike = (apart <= reach) & (sites[:, None] == sites[None, :])
    return [int(np.argmax(row)) for row in alike]


def _log_ratios(pairs: Sequence[tuple[float, float]]) -> Array:
    return np.clip([math.log(h3 / h2) for h2, h3 in pairs], -BOUND, BOUND)


def _variances(ratios: Sequence[Array]) -> Array:
    """Of each cell's mean, its own blocks' variance pooled with a small share of all cells'."""
    squares = np.array([float(np.var(one)) * len(one) for one in ratios])
    freedom = np.array([len(one) - 1.0 for one in ratios])
    overall = squares.sum() / freedom.sum()
    return np.asarray((squares + SHARED_DF * overall) / (freedom + SHARED_DF) / [len(one) for one in ratios])
