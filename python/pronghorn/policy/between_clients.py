"""By how much clients differ whose networks look alike to a gateway: an estimate of `between_clients` and
`between_clients_slope`.

A run's cells that have about the same round trip, loss and rate are a group. What a policy's surface
foretells for a group may be wrong, but it is wrong for all of it alike; so only distances from the group's
own mean count. They scatter by the noise of their blocks, which is known, and by the networks' own
difference, the variance of which is sd² + (slope · ln ratio)²: what hides of a network makes loss and delay
weigh more or less, so that networks differ the more, the more the protocols do. That is the random-effects
model of a meta-analysis, with a location a group and a scale that follows a moderator (Viechtbauer &
López-López, "Location-scale models for meta-analysis", Research Synthesis Methods 13, 2022). Both figures
are those of greatest restricted likelihood, which heeds that the groups' means are estimated too; intervals
are what the profile of that likelihood doesn't refute (Hardy & Thompson, "A likelihood approach to
meta-analysis with random effects", Statistics in Medicine 15, 1996). They are of these networks: that a run
has the same kinds of them at each place, and no others, is in none of them.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pronghorn.errors import InputError
from pronghorn.mapping.domain import LOSS_BEND, Array, Point
from pronghorn.mapping.noise import LEAST_VARIANCE, SHARED_DF
from pronghorn.mapping.observed import BOUND
from pronghorn.policy.interval import Interval
from pronghorn.policy.measured import MeasuredCell

REACH = 0.15
"""Cells look alike whose round trips, rates and 1 + loss / 0.1 % differ by at most this share."""

SLOPE_SPAN = 0.3
"""Some groups' ln ratio has to be further off 0 than others' by this much; otherwise a slope can't be
estimated."""

_GRID: tuple[float, ...] = (0.0, *(0.001 * 3000.0 ** (step / 23) for step in range(24)))
"""Where figures are looked for first, 0 to 3."""

_HALVINGS = 30
"""They place an interval's end to a billionth of the grid's step."""

_REFUTED = 3.841
"""What twice the log-likelihood falls by, of which chi-square with one degree has 5 % beyond."""

Surface = Callable[[str, Point], float]
"""A policy surface's prediction for a congestion control at a point, as ln ratio."""


class Spread(NamedTuple):
    """How much the ln ratio differs between networks that look alike, of so many `cells` in so many `groups`:
    the standard deviation where it is 0, and what each unit of it adds, as variances are added. Where the
    groups' ln ratios are too much alike to tell these apart `slope` is None, and `sd` of these ratios."""

    cells: int
    groups: int
    sd: Interval
    slope: Interval | None

    def between(self) -> tuple[float, float]:
        """The two figures of a policy file."""
        return self.sd.value, self.slope.value if self.slope else 0.0


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
        found[control] = spread(means - foretold, _variances(ratios, groups), groups, foretold)
    return found


def pooled(spreads: Sequence[Spread]) -> tuple[float, float]:
    """One standard deviation of all, and one slope of those that tell one, by the cells that each has to
    spare."""

    def mean(told: Sequence[tuple[int, Interval]]) -> float:
        freedom = sum(free for free, _ in told)
        return math.sqrt(sum(free * one.value**2 for free, one in told) / freedom) if told else 0.0

    freedom = [(one.cells - one.groups, one) for one in spreads]
    return (
        mean([(free, one.sd) for free, one in freedom]),
        mean([(free, one.slope) for free, one in freedom if one.slope]),
    )


def spread(distances: Array, variances: Array, groups: Sequence[int], foretold: Array) -> Spread:
    """Of cells (n,) whose distances from the ln ratios that were `foretold` (n,) have noise of known
    variances (n,), by the numbers of their groups."""
    _, members, sizes = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    counts = sizes[members] > 1  # a group of one has no distance from its own mean
    _, members = np.unique(members[counts], return_inverse=True)
    known = _Known(distances[counts], variances[counts], members, np.abs(foretold[counts]))
    means = np.bincount(members, known.off) / np.bincount(members)
    tells = bool(np.ptp(means) >= SLOPE_SPAN)
    sd, slope = known.likeliest(tells=tells)
    least = known.deviance(sd, slope)

    def of_sd(value: float) -> float:
        other = _least(lambda one: known.deviance(value, one)) if tells else 0.0
        return known.deviance(value, other) - least

    def of_slope(value: float) -> float:
        return known.deviance(_least(lambda one: known.deviance(one, value)), value) - least

    return Spread(
        cells=len(members),
        groups=len(means),
        sd=Interval(sd, *_not_refuted(of_sd, sd)),
        slope=Interval(slope, *_not_refuted(of_slope, slope)) if tells else None,
    )


class _Known(NamedTuple):
    """Cells (n,): distances, their noise's variances, the numbers of their groups from 0 on, and how far off
    0 their ln ratios are."""

    distances: Array
    variances: Array
    members: NDArray[np.intp]
    off: Array

    def deviance(self, sd: float, slope: float) -> float:
        """Minus twice the restricted log-likelihood, but for a constant."""
        variances = self.variances + sd**2 + (slope * self.off) ** 2
        weights = 1 / variances
        wholes = np.bincount(self.members, weights)
        means = np.bincount(self.members, weights * self.distances) / wholes
        squares = weights * (self.distances - means[self.members]) ** 2
        total = np.add.reduce  # what sum() does, which takes longer to come to it
        return float(total(np.log(variances)) + total(np.log(wholes)) + total(squares))

    def likeliest(self, *, tells: bool) -> tuple[float, float]:
        """sd and slope; slope is 0 where nothing tells it."""
        if not tells:
            return _least(lambda one: self.deviance(one, 0.0)), 0.0

        def best_sd(slope: float) -> float:
            return _least(lambda one: self.deviance(one, slope))

        slope = _least(lambda one: self.deviance(best_sd(one), one))
        return best_sd(slope), slope


def _least(deviance: Callable[[float], float]) -> float:
    """Where it is least; on a grid first, for it may fall twice."""
    from scipy.optimize import minimize_scalar

    at = int(np.argmin([deviance(one) for one in _GRID]))
    bounds = (_GRID[max(at - 1, 0)], _GRID[min(at + 1, len(_GRID) - 1)])
    found = minimize_scalar(deviance, bounds=bounds, method="bounded", options={"xatol": 1e-5})
    # The search never comes to a bound itself.
    return min((float(found.x), _GRID[at]), key=deviance)


def _not_refuted(above_least: Callable[[float], float], value: float) -> tuple[float, float]:
    """The least and the greatest that aren't refuted; infinite where none is."""

    def crossing(inside: float, outside: float) -> float:
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            is_inside = above_least(middle) <= _REFUTED
            inside, outside = (middle, outside) if is_inside else (inside, middle)
        return (inside + outside) / 2

    borne = [one for one in _GRID if one == value or above_least(one) <= _REFUTED]
    low, high = min([value, *borne]), max([value, *borne])
    below = max((one for one in _GRID if one < low), default=None)
    above = min((one for one in _GRID if one > high), default=None)
    return (
        low if below is None else crossing(low, below),
        math.inf if above is None else crossing(high, above),
    )


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


def _variances(ratios: Sequence[Array], groups: Sequence[int]) -> Array:
    """Of each cell's mean, its own blocks' variance pooled with a small share of its group's."""
    squares = np.array([float(np.var(one)) * len(one) for one in ratios])
    freedom = np.array([len(one) - 1.0 for one in ratios])
    _, members = np.unique(np.array(groups), return_inverse=True)
    overall = (np.bincount(members, squares) / np.bincount(members, freedom))[members]
    pooled_ = (squares + SHARED_DF * overall) / (freedom + SHARED_DF)
    return np.asarray(np.maximum(pooled_, LEAST_VARIANCE) / (freedom + 1))
