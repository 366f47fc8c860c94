"""The one time axis of a cell's waterfalls, or of its flights."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.report.units import Unit, unit_for

_MOST_TICKS = 6


class Tick(NamedTuple):
    """A number beside an axis, `percent` of it from the left or from above."""

    label: str
    percent: float


class Axis(NamedTuple):
    """From 0 to `end_s`, with marks at `ticks_s`, shown in `unit`."""

    end_s: float
    ticks_s: tuple[float, ...]
    unit: Unit

    def place(self, at_s: float, width: int) -> int:
        """Where a time lies on a scale of `width` steps."""
        return round(width * min(max(at_s / self.end_s, 0.0), 1.0))

    def label(self, at_s: float) -> str:
        """A tick as a bare number."""
        return f"{at_s * self.unit.per_second:.6g}"


def axis(times_s: Iterable[float]) -> Axis:
    """An axis that holds all the times, with ticks at round numbers."""
    end_s = max((time for time in times_s if time > 0), default=1.0) * 1.01
    step = round_step(end_s / _MOST_TICKS)
    ticks = tuple(step * number for number in range(int(end_s / step) + 1))
    return Axis(end_s, ticks, unit_for([end_s]))


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999)
