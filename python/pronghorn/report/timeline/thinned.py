"""A lane in as many steps as its drawing has."""

from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.report.timeline.lanes import Lane, Level
from pronghorn.report.waterfall.axis import Axis

STEPS = 500
"""The steps of the time axis: within one, the state after its last change is shown."""


class Step(NamedTuple):
    """A level, and the step of the axis in which it was the last."""

    column: int
    level: Level


def thinned(lane: Lane, axis: Axis) -> list[Step]:
    """A lane's levels, at most one a step of the axis, which begins with the load: of those before it the
    last."""
    return list({step.column: step for step in _steps(lane.levels, axis)}.values())


def _steps(levels: Iterable[Level], axis: Axis) -> Iterable[Step]:
    for level in levels:
        yield Step(axis.place(level.at_s, STEPS), level)
