"""Numbers as far as they are known: an estimate with its 95 % interval, and how far a comparison of two such
numbers is known to hold."""

import math
from enum import Enum
from typing import NamedTuple

from pronghorn.model.operators import OPERATORS

Interval = tuple[float, float]
"""Its ends, infinite where it has no bound on that side."""

UNBOUNDED: Interval = (0.0, math.inf)
"""The interval of a positive quantity about which nothing is known."""


class Known(NamedTuple):
    """A number: `value` is None where it isn't known, `interval` where none can be had."""

    value: float | None
    interval: Interval | None = None


class Judgement(Enum):
    """How far a comparison is known to hold."""

    SURE = "holds, with the whole interval"
    LIKELY = "holds by the estimate, not with the whole interval"
    UNLIKELY = "does not hold by the estimate, but might within the interval"
    NEVER = "does not hold anywhere in the interval"
    PLAIN = "holds by the estimate, which has no interval"
    FAILS = "does not hold by the estimate, which has no interval"
    UNKNOWN = "a side isn't known"

    @property
    def holds(self) -> bool:
        """Whether it holds by the estimate."""
        return self in (Judgement.SURE, Judgement.LIKELY, Judgement.PLAIN)


def exact(value: float) -> Known:
    """A number without uncertainty: one that was written down, or counted."""
    return Known(value, (value, value))


def ends(ci95: tuple[float | None, float | None]) -> Interval | None:
    """The interval of a positive quantity as summaries have it, where None is an end without bound; None
    where it has neither end."""
    low, high = ci95
    if low is None and high is None:
        return None
    return (0.0 if low is None else low, math.inf if high is None else high)


def inverse(interval: Interval | None) -> Interval | None:
    """The interval of 1/x, of a positive x."""
    if interval is None:
        return None
    low, high = interval
    return (0.0 if math.isinf(high) else 1 / high, math.inf if low <= 0 else 1 / low)


def judge(operator: str, left: Known, right: Known) -> Judgement:
    """How far `left` OP `right` is known to hold."""
    if left.value is None or right.value is None:
        return Judgement.UNKNOWN
    holds = OPERATORS[operator](left.value, right.value)
    if left.interval is None or right.interval is None:
        return Judgement.PLAIN if holds else Judgement.FAILS
    if holds:
        return Judgement.SURE if _always(operator, left.interval, right.interval) else Judgement.LIKELY
    never = _always(_OPPOSITE[operator], left.interval, right.interval)
    return Judgement.NEVER if never else Judgement.UNLIKELY


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _always(operator: str, left: Interval, right: Interval) -> bool:
    """Whether a comparison holds for every value of the one interval with every value of the other."""
    match operator:
        case "<" | "<=":
            return OPERATORS[operator](left[1], right[0])
        case ">" | ">=":
            return OPERATORS[operator](left[0], right[1])
        case "==":
            return left[0] == left[1] == right[0] == right[1]
        case _:
            return left[1] < right[0] or left[0] > right[1]
