"""The exploration: measure, learn, choose where next, until the budget is used or nothing is in doubt."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.errors import NothingMeasured
from pronghorn.mapping import design
from pronghorn.mapping.domain import Array, Domain, Point
from pronghorn.mapping.observed import Observation, usable
from pronghorn.mapping.surface import Surface, fit

Measure = Callable[[Sequence[Point]], Sequence[Observation]]
"""Measures points; gives one observation a point, in their order."""

Reason = Literal["budget", "time", "decided"]

BLOCKS = 3
"""The loads of each point: enough for the variance of its neighbourhood, few enough for many points."""

START = 24
BATCH = 8
FEWEST = 6
"""The fewest points of a map."""


class Explored(NamedTuple):
    """Everything that was observed, and why no more was."""

    observations: list[Observation]
    reason: Reason


def levels(margin: float) -> tuple[float, float]:
    """The log ratios at which a verdict turns: below the first the arm is faster, above the second slower.
    `margin` is a fraction."""
    return math.log1p(-margin), math.log1p(margin)


def explore(
    domain: Domain,
    measure: Measure,
    *,
    margin: float,
    seed: int,
    points: int | None,
    known: Sequence[Observation] = (),
    in_time: Callable[[], bool] = lambda: True,
) -> Explored:
    """Observes up to `points` points (None: as long as `in_time()`), the `known` ones among them.

    Equal arguments and equal outcomes give equal points. NothingMeasured where the first points leave nothing
    to go by."""
    observations = list(known)
    theta: Array | None = None
    first = START if points is None else min(START, max(FEWEST - 1, points // 4))
    if not observations:
        observations += measure(design.start(domain, first, seed))
    while points is None or len(observations) < points:
        if not in_time():
            return Explored(observations, "time")
        left = BATCH if points is None else min(BATCH, points - len(observations))
        if len(usable(observations)) < 2:
            raise _nothing_to_go_by(observations)
        data = design.data_of(domain, observations)
        theta = fit(data, theta)
        chosen = design.batch(
            domain,
            observations,
            Surface(data, theta),
            levels=levels(margin),
            count=left,
            blocks=BLOCKS,
            seed=seed,
        )
        if not chosen:
            return Explored(observations, "decided")
        observations += measure(chosen)
    return Explored(observations, "budget")


def _nothing_to_go_by(observations: Sequence[Observation]) -> NothingMeasured:
    points = count(len(observations), "point")
    barren = sum(one.barren for one in observations)
    if barren:
        return NothingMeasured(
            f"at {barren} of {points} no load of either arm succeeded, and fewer than two other points "
            "have a block that counts.",
            hint="Map narrower ranges. The reports of the map's batches say why loads failed.",
        )
    return NothingMeasured(
        f"of {points} fewer than two have a trusted block.",
        hint="Run it on a quieter host, with fewer trials side by side (--jobs).",
    )
