"""Which points are measured: evenly spread ones at first, then those where the verdict is least certain.

Start: Halton's sequence (1960), shifted at random (Cranley & Patterson 1976). After it: the straddle
heuristic (Bryan et al., "Active Learning for Identifying Function Threshold Boundaries", NIPS 2005), 1.96 σ -
|μ - level|, which prefers points that are near a level and not yet known. The points of a batch are chosen
one after the other, each as if those before it had come out as foreseen (Desautels, Krause & Burdick, JMLR
15, 2014): that needs no outcome, since a Gaussian process's variance doesn't depend on one.
"""

from collections.abc import Collection, Sequence

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.mapping.domain import Array, Domain, Point
from pronghorn.mapping.noise import block_variances
from pronghorn.mapping.observed import Observation, usable
from pronghorn.mapping.surface import Data, Surface

CANDIDATES = 512

_BASES = (2, 3, 5)
_OVERHANG = 0.08
"""The cube is drawn this much larger on each side and cut, so that its faces (no loss at all, the shortest
round trip) are among the points."""

_REACH_SD = 1.96


def start(domain: Domain, count: int, seed: int) -> list[Point]:
    """The first points, no two alike."""
    points: dict[str, Point] = {}
    spread = _spread(4 * count, seed, "start")
    for place in spread:
        point = domain.point(place)
        points.setdefault(point.name, point)
    return list(points.values())[:count]


def data_of(domain: Domain, observations: Sequence[Observation]) -> Data:
    """The observations as the surface takes them."""
    found = usable(observations)
    places = np.array([domain.unit(one.point) for one in found]).reshape(-1, 3)
    blocks = [one.log_ratios for one in found]
    sizes = np.array([len(one) for one in blocks], dtype=np.float64)
    means = np.array([one.mean for one in found])
    return Data(places, means, block_variances(places, places, blocks) / sizes)


def batch(
    domain: Domain,
    observations: Sequence[Observation],
    surface: Surface,
    *,
    levels: Sequence[float],
    count: int,
    blocks: int,
    seed: int,
) -> list[Point]:
    """The next points, at most `count`, of `blocks` blocks each; none where at every candidate it is known on
    which side of each of the `levels` the surface lies. No candidate is where nothing loads."""
    taken = {one.point.name for one in observations}
    candidates = _candidates(domain, taken, seed, len(observations))
    points = [
        point
        for point, loads in zip(candidates, _load(domain, candidates, observations), strict=True)
        if loads
    ]
    if not points:
        return []
    places = np.array([domain.unit(point) for point in points])
    found = usable(observations)
    measured = np.array([domain.unit(one.point) for one in found])
    noise = block_variances(places, measured, [one.log_ratios for one in found]) / blocks
    mean, covariance = surface.at(places)
    nearest = np.min([np.abs(mean - level) for level in levels], axis=0)
    if np.all(_straddle(covariance, nearest) < 0):
        return []
    chosen: list[int] = []
    for _ in range(min(count, len(points))):
        score = _straddle(covariance, nearest)
        score[chosen] = -np.inf
        best = int(np.argmax(score))
        chosen.append(best)
        column = covariance[:, best]
        covariance = covariance - np.outer(column, column) / (column[best] + noise[best])
    return [points[place] for place in chosen]


def _load(domain: Domain, points: Sequence[Point], observations: Sequence[Observation]) -> list[bool]:
    """Of each of the `points` whether something loaded at the nearest one that was measured."""
    barren = np.array([one.barren for one in observations])
    if not barren.any() or not points:
        return [True] * len(points)
    places, measured = (
        np.array([domain.unit(point) for point in some])
        for some in (points, [one.point for one in observations])
    )
    distances = ((places[:, None, :] - measured[None, :, :]) ** 2).sum(axis=2)
    return [not bool(barren[place]) for place in np.argmin(distances, axis=1)]


def _straddle(covariance: Array, nearest: Array) -> Array:
    return np.asarray(_REACH_SD * np.sqrt(np.maximum(np.diag(covariance), 0)) - nearest)


def _candidates(domain: Domain, taken: Collection[str], seed: int, round_: int) -> list[Point]:
    points: dict[str, Point] = {}
    for place in _spread(CANDIDATES, seed, f"candidates {round_}"):
        point = domain.point(place)
        if point.name not in taken:
            points.setdefault(point.name, point)
    return list(points.values())


def _spread(count: int, seed: int, label: str) -> Array:
    """Places spread evenly over the unit cube, its faces included: (count, 3)."""
    shift = generator(seed, "map", label).uniform(size=len(_BASES))
    sequence = np.array(
        [[_radical_inverse(number, base) for base in _BASES] for number in range(1, count + 1)]
    )
    inside = (sequence + shift) % 1
    return np.asarray(np.clip(inside * (1 + 2 * _OVERHANG) - _OVERHANG, 0, 1))


def _radical_inverse(number: int, base: int) -> float:
    """The digits of `number` in `base`, mirrored at the point."""
    value, share = 0.0, 1.0
    while number:
        share /= base
        number, digit = divmod(number, base)
        value += digit * share
    return value
