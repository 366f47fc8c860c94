"""A logarithmic axis of ratios: its ticks, and where the bar of an interval begins and ends on it."""

import math
from collections.abc import Sequence

from pronghorn.model.summary import Interval

LEAST, MOST = 0.01, 100.0
"""The ratios to which an axis reaches at most."""

_TICKS = (1, 0.5, 2, 0.1, 10, 0.2, 5, 0.7, 1.5, 0.3, 3, 0.85, 1.2, 0.9, 1.1, 0.01, 100, 0.02, 50, 0.05, 20)
"""From those that are wanted most."""

_APART_PX = 38
"""What is at least from one tick to the next."""

_CHARACTER_PX = 7.5
"""The width of a lane's label, a character."""


def ratio_ticks(low: float, high: float, width: int, labels: Sequence[str]) -> list[float]:
    """Round ratios from `low` to `high`, as many as have room in a drawing of `width` pixels, in which lanes
    have these labels on the left."""
    longest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    room_px = max(width - min(_CHARACTER_PX * longest, max(150, width / 3)) - 24, _APART_PX)
    px = room_px / math.log(high / low)
    found: list[float] = []
    for tick in _TICKS:
        apart = all(abs(math.log(tick / other)) * px >= _APART_PX for other in found)
        if low <= tick <= high and apart:
            found.append(tick)
    return sorted(found)


def interval_bar(at: float | None, ci95: Interval, low: float, high: float) -> tuple[float, float]:
    """The ends of the bar on an axis from `low` to `high`: the interval's, each at the axis' own end where it
    isn't finite or lies beyond. Both are at the ratio `at` where there is no interval."""
    begin, end = (at, at) if ci95 == (None, None) and at is not None else ci95
    return within(begin or 0.0, low, high), high if end is None else within(end, low, high)


def within(value: float, low: float, high: float) -> float:
    """`value`, or the end beyond which it lies."""
    return min(max(value, low), high)
