"""The bounds within which a claim wants what it compares, and where an interval lies against them."""

import math
from typing import NamedTuple

from pronghorn.analysis.claims.sampled import Found
from pronghorn.model.expression import Kind
from pronghorn.model.study import Rule
from pronghorn.model.summary import State

ABOUT = (0.5, 1.5)
"""An effect is about as large as the published one if it is half to one and a half times that; for ratios, on
the logarithm."""

SLIGHTLY = 1.1
"""An arm is slightly ahead or behind if the difference is at most 10 %."""


class Bounds(NamedTuple):
    """Where a claim wants a value to lie; None: no bound."""

    least: float | None = None
    most: float | None = None

    def hold(self, value: float) -> bool:
        """Whether they hold of a value."""
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        return least <= value <= most


Theirs = tuple[float, float]
"""A published value, as a range of equal ends, or a published range."""


def by(rule: Rule, theirs: Theirs, kind: Kind) -> Bounds:
    """The bounds that a rule makes of a published effect; ValueError where that has no side, being nought, or
    both."""
    neutral = 1.0 if kind == "ratio" else 0.0
    if not (theirs[0] > neutral or theirs[1] < neutral):
        raise ValueError(f"{rule}: the published figure favours neither side")
    above = theirs[0] > neutral
    if rule == "same side":
        return Bounds(least=neutral) if above else Bounds(most=neutral)
    if rule == "slightly":
        if kind != "ratio":
            raise ValueError(f"{rule}: this rule applies to ratios only")
        return Bounds(1.0, SLIGHTLY) if above else Bounds(1 / SLIGHTLY, 1.0)
    small, large = ABOUT
    nearest, furthest = theirs if above else theirs[::-1]
    if kind == "ratio":
        return _sorted(nearest**small, furthest**large)
    return _sorted(nearest * small, furthest * large)


def state(found: Found, bounds: Bounds) -> tuple[State, str | None]:
    """What becomes of a claim that wants `found` within `bounds`, and why nothing does."""
    if found.objection is not None:
        return "undecided", found.objection
    least = -math.inf if bounds.least is None else bounds.least
    most = math.inf if bounds.most is None else bounds.most
    if least <= found.low and found.high <= most:
        return "reproduced", None
    return ("not reproduced", None) if found.high < least or found.low > most else ("undecided", None)


def every(states: list[State]) -> State:
    """A claim of several parts: reproduced where all are, not reproduced where any isn't."""
    if "not reproduced" in states:
        return "not reproduced"
    return "undecided" if "undecided" in states else "reproduced"


def agreed(states: list[State]) -> State:
    """A claim in several readings: what it is in all of them, else undecided."""
    return states[0] if len(set(states)) == 1 else "undecided"


def _sorted(one: float, other: float) -> Bounds:
    return Bounds(min(one, other), max(one, other))
