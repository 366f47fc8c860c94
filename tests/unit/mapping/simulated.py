"""Response surfaces whose boundaries are placed by construction, and what a map makes of them.

    python -m tests.unit.mapping.simulated [SEEDS]

prints, as Markdown, for each surface on how many seeds both boundaries lie wholly within their stated zones,
how much of the map each zone is, and how much of it is on the right side of the most likely boundaries.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.mapping import domain as domains
from pronghorn.mapping.domain import Array, Point
from pronghorn.mapping.explore import BLOCKS, Explored, Measure, explore, levels
from pronghorn.mapping.fitted import Fitted, fitted
from pronghorn.mapping.observed import BOUND, Observation

DOMAIN = domains.parse("5ms..300ms", "0..15%", "1Mbit..1Gbit")
MARGIN = 0.03
POINTS = 100
NODES = (11, 11, 4)

Truth = Callable[[Array], Array]
"""The true mean log ratio at places (n, 3) of the unit cube."""


def slope(places: Array) -> Array:
    """HTTP/3 costs 8 % near and without loss, and wins up to 30 % far away or with loss; rate matters a
    little."""
    rtt, loss, rate = places.T
    return np.asarray(0.08 - 0.45 / (1 + np.exp(-6 * (loss + 0.5 * rtt - 0.2 * rate - 0.5))))


def island(places: Array) -> Array:
    """It wins in the midst alone: more loss than that hurts both alike."""
    away = ((places - np.array([0.5, 0.6, 0.5])) ** 2 / np.array([0.35, 0.25, 0.6]) ** 2).sum(axis=1)
    return np.asarray(0.12 - 0.5 * np.exp(-away))


def level(places: Array) -> Array:
    """No difference anywhere."""
    return np.zeros(len(places))


SURFACES: dict[str, Truth] = {"slope": slope, "island": island, "level": level}


def block_sd(places: Array) -> Array:
    """The standard deviation of a block's log ratio: 3 % without loss, 20 % at the most."""
    return np.asarray(0.03 + 0.17 * places[:, 1])


class Judged(NamedTuple):
    """What became of one map: whether both levels' true boundaries lie wholly in their zones, the share of
    the nodes in the zone of winning and in that of costing, how many of the nodes the mean surface puts on
    the right sides of both levels, and the trials that were spent."""

    held: bool
    wins_zone: float
    costs_zone: float
    right: float
    trials: int


def measuring(truth: Truth, seed: int) -> Measure:
    """Blocks of the surface: heavy-tailed about the true value (Student's t, 5 degrees of freedom), bounded
    as real ones are."""
    rng = generator(seed, "simulated blocks")

    def measure(points: Sequence[Point]) -> list[Observation]:
        places = np.array([DOMAIN.unit(point) for point in points])
        scatter = rng.standard_t(5, size=(len(points), BLOCKS)) * math.sqrt(3 / 5)
        values = truth(places)[:, None] + scatter * block_sd(places)[:, None]
        return [
            Observation(point, tuple(float(value) for value in row))
            for point, row in zip(points, np.clip(values, -BOUND, BOUND), strict=True)
        ]

    return measure


def explored(truth: Truth, seed: int, points: int = POINTS) -> Explored:
    """The exploration of a surface."""
    return explore(DOMAIN, measuring(truth, seed), margin=MARGIN, seed=seed, points=points)


def mapped(truth: Truth, seed: int, points: int = POINTS) -> Fitted:
    """The map of a surface."""
    found = explored(truth, seed, points)
    return fitted(DOMAIN, found.observations, margin=MARGIN, seed=seed, counts=NODES)


def judge(truth: Truth, seed: int, points: int = POINTS) -> Judged:
    """Explores a surface and holds the map against it."""
    exploration = explored(truth, seed, points)
    found = fitted(DOMAIN, exploration.observations, margin=MARGIN, seed=seed, counts=NODES)
    places = np.stack(np.meshgrid(*found.nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    true = truth(places).reshape(found.mean.shape)
    held, zones = True, []
    for height, certain in zip(levels(MARGIN), (found.faster_sides, found.slower_sides), strict=True):
        held &= bool(np.all(true[certain.below] < height) and np.all(true[certain.above] > height))
        zones.append(1 - float(np.mean(certain.below | certain.above)))
    right = np.mean([np.sign(found.mean - height) == np.sign(true - height) for height in levels(MARGIN)])
    trials = 2 * sum(len(one.log_ratios) for one in exploration.observations)
    return Judged(held, zones[0], zones[1], float(right), trials)


def main(seeds: int) -> None:
    """Prints the study."""
    print("| surface | boundaries in their zones | zone of winning | zone of costing | on the right sides |")
    print("|---|---|---|---|---|")
    for name, truth in SURFACES.items():
        found = [judge(truth, seed) for seed in range(1, seeds + 1)]
        held = sum(one.held for one in found)
        wins, costs, right, _ = np.median([one[1:] for one in found], axis=0)
        print(f"| {name} | {held} of {seeds} | {wins:.0%} | {costs:.0%} | {right:.1%} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
