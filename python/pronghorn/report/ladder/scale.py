"""The one time axis of a cell's ladders, downwards."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.report.units import Unit, unit_for
from pronghorn.report.waterfall.axis import round_step

_MOST_TICKS = 8


class Down(NamedTuple):
    """From `low_s` at `top_px` to `high_s`, `height_px` beneath; times are told in `unit`."""

    low_s: float
    high_s: float
    top_px: float
    height_px: float
    unit: Unit

    def y(self, at_s: float) -> float:
        """Where a time lies."""
        return self.top_px + self.height_px * (at_s - self.low_s) / (self.high_s - self.low_s)

    @property
    def bottom_px(self) -> float:
        """Its lower end."""
        return self.top_px + self.height_px

    @property
    def ticks_s(self) -> list[float]:
        """Round times along it."""
        step = round_step((self.high_s - self.low_s) / _MOST_TICKS)
        first, last = math.ceil(self.low_s / step - 1e-9), math.floor(self.high_s / step)
        return [number * step for number in range(first, last + 1)]

    def label(self, at_s: float) -> str:
        """A tick with its unit."""
        return f"{at_s * self.unit.per_second:.6g} {self.unit.symbol}"


def down(begins_s: Iterable[float], ends_s: Iterable[float], top_px: float, height_px: float) -> Down:
    """An axis from the load's start, or the earliest beginning before it, to a little after the last end."""
    low_s = min(0.0, *begins_s)
    high_s = max(ends_s)
    high_s += 0.02 * (high_s - low_s) or 1e-3
    return Down(low_s, high_s, top_px, height_px, unit_for([high_s]))
