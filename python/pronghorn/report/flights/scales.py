"""The scales of a flight's panels: sizes and times, each from zero."""

from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.report.waterfall.axis import round_step

_MOST_TICKS = 5
_ROOM = 1.05
"""How far above its largest value a scale ends."""


class Scale(NamedTuple):
    """From 0 to `end`, with marks at `ticks`; `per_unit` is what one of the unit `symbol` is."""

    end: float
    ticks: tuple[float, ...]
    symbol: str
    per_unit: float

    def place(self, value: float, height: int) -> int:
        """Where a value lies, in steps from above."""
        return height - round(height * min(max(value / self.end, 0.0), 1.0))

    def label(self, value: float) -> str:
        """A tick as a bare number."""
        return f"{value / self.per_unit:.6g}"


def sizes(values: Iterable[float]) -> Scale:
    """A scale for bytes, in kilobytes or megabytes of 1000 and 1000² bytes."""
    largest = max(values, default=0.0)
    return _scale(largest, *(("MB", 1e6) if largest >= 2e6 else ("kB", 1e3)))


def times(values: Iterable[float]) -> Scale:
    """A scale for seconds, in milliseconds or seconds."""
    largest = max(values, default=0.0)
    return _scale(largest, *(("s", 1.0) if largest >= 2 else ("ms", 1e-3)))


def size(value: float) -> str:
    """A number of bytes to three significant digits, with its unit."""
    symbol, per_unit = ("MB", 1e6) if value >= 999_500 else ("kB", 1e3)
    return f"{value / per_unit:.3g} {symbol}"


def _scale(largest: float, symbol: str, per_unit: float) -> Scale:
    end = (largest or per_unit) * _ROOM
    step = round_step(end / _MOST_TICKS)
    return Scale(end, tuple(step * number for number in range(int(end / step) + 1)), symbol, per_unit)
