"""The time axis of violins and distributions: linear, or logarithmic where the times ask for it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.report.density import spread_is_large
from pronghorn.report.units import Unit, unit_for
from pronghorn.report.waterfall.axis import round_step

_ROOM = 0.04
"""How much of the times' span an axis has to spare at each end."""

_STEPS: tuple[tuple[float, ...], ...] = ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))
"""The ticks of a decade, from the finest."""


class TimeScale(NamedTuple):
    """From `low_s` to `high_s`, seconds, told in `unit`."""

    low_s: float
    high_s: float
    logarithmic: bool
    unit: Unit

    def place(self, at_s: float) -> float:
        """Where a time lies: 0 at the axis' beginning, 1 at its end."""
        return self.places([at_s])[0]

    def places(self, times_s: Sequence[float]) -> list[float]:
        """Where many times lie."""
        low, high, found = self.low_s, self.high_s, times_s
        if self.logarithmic:
            found = [math.log(max(time, low)) for time in times_s]
            low, high = math.log(low), math.log(high)
        return [min(max((time - low) / (high - low), 0.0), 1.0) for time in found]

    def ticks_s(self, most: int) -> list[float]:
        """Round numbers along the axis, at most so many where the range allows."""
        if not self.logarithmic:
            step = round_step((self.high_s - self.low_s) / max(1, most))
            first, last = math.ceil(self.low_s / step), math.floor(self.high_s / step)
            return [number * step for number in range(first, last + 1)]
        found: list[float] = []
        for factors in _STEPS:
            found = self._decades(factors)
            if len(found) <= most:
                return found
        return found[:: math.ceil(len(found) / max(1, most))]

    def label(self, at_s: float) -> str:
        """A tick as a bare number."""
        return f"{at_s * self.unit.per_second:.6g}"

    def caption(self, what: str) -> str:
        """What stands beneath the axis."""
        return f"{what} in {self.unit.symbol}{', logarithmic' if self.logarithmic else ''}"

    def _decades(self, factors: Sequence[float]) -> list[float]:
        first, last = math.floor(math.log10(self.low_s)), math.ceil(math.log10(self.high_s))
        ticks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        return [tick for tick in ticks if self.low_s <= tick <= self.high_s]


def time_scale(times_s: Sequence[float]) -> TimeScale:
    """An axis that holds all of the times, in seconds, of which there is at least one."""
    low, high = min(times_s), max(times_s)
    logarithmic = spread_is_large(times_s)
    if logarithmic:
        room = (high / low) ** _ROOM
        return TimeScale(low / room, high * room, True, unit_for(times_s))
    spare = _ROOM * (high - low) or _ROOM * high or 1.0
    return TimeScale(max(0.0, low - spare), high + spare, False, unit_for(times_s))
