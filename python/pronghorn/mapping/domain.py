"""What a map spans: round trip, loss and rate, each a range on a scale of its own, and the points in it."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.errors import InputError
from pronghorn.model import units

Array = npt.NDArray[np.float64]

AXES = ("rtt", "loss", "rate")
"""The axes in the order of every array's columns: seconds, a share, bits per second."""

LOSS_BEND = 0.001
"""Loss is spread as log(1 + loss / this): evenly below one packet in a thousand, which few page loads meet,
and by its logarithm above."""

_DIGITS = 3


class Point(NamedTuple):
    """A path's three figures: seconds, a share, bits per second."""

    rtt_s: float
    loss: float
    rate_bit_per_s: float

    @property
    def name(self) -> str:
        """The name of its path in an experiment: `42.5ms 1.31% 20.4Mbit`."""
        return f"{_short(self.rtt_s * 1e3)}ms {_short(self.loss * 100)}% {_rate(self.rate_bit_per_s)}"


class Axis(NamedTuple):
    """A range of one quantity; `low` equals `high` where it is fixed."""

    name: str
    low: float
    high: float

    @property
    def fixed(self) -> bool:
        """Whether it has one value only."""
        return self.low == self.high

    def unit(self, value: float) -> float:
        """Where `value` lies between the range's ends on the axis's scale, in 0..1."""
        if self.fixed:
            return 0.0
        low, here, high = (self._bent(one) for one in (self.low, value, self.high))
        return (here - low) / (high - low)

    def value(self, unit: float) -> float:
        """The value that lies there, to three significant digits, never beyond the range's ends."""
        if unit <= 0 or self.fixed:
            return self.low
        if unit >= 1:
            return self.high
        low, high = self._bent(self.low), self._bent(self.high)
        found = self._unbent(low + unit * (high - low))
        return min(max(_rounded(found), self.low), self.high)

    def _bent(self, value: float) -> float:
        return math.log1p(value / LOSS_BEND) if self.name == "loss" else math.log(value)

    def _unbent(self, value: float) -> float:
        return math.expm1(value) * LOSS_BEND if self.name == "loss" else math.exp(value)


class Domain(NamedTuple):
    """The three axes."""

    rtt: Axis
    loss: Axis
    rate: Axis

    def unit(self, point: Point) -> Array:
        """The point in the unit cube: (3,)."""
        return np.array([axis.unit(value) for axis, value in zip(self, point, strict=True)])

    def point(self, unit: Array) -> Point:
        """The point at a place of the unit cube, its figures rounded."""
        return Point(*(axis.value(float(place)) for axis, place in zip(self, unit, strict=True)))

    def nodes(self, counts: tuple[int, int, int]) -> tuple[Array, Array, Array]:
        """Evenly spaced places in 0..1 on each axis, so many where the axis isn't fixed."""
        rtt, loss, rate = (
            np.zeros(1) if axis.fixed else np.linspace(0, 1, count)
            for axis, count in zip(self, counts, strict=True)
        )
        return rtt, loss, rate


def parse(rtt: str, loss: str, rate: str) -> Domain:
    """The domain of the ranges `5ms..300ms`, `0..15%`, `1Mbit..1Gbit`, or of single values; InputError where
    one can't be."""
    domain = Domain(
        _axis("rtt", rtt, lambda text: units.mean_time_ns(text) / 1e9, "5ms..300ms"),
        _axis("loss", loss, units.share, "0..15%"),
        _axis("rate", rate, lambda text: float(units.rate(text)), "1Mbit..1Gbit"),
    )
    if domain.loss.high >= 1:
        raise InputError(
            f"--loss {loss}: where all is lost nothing can be loaded; allowed is less than 100%."
        )
    return domain


def _axis(name: str, text: str, read: Callable[[str], float], example: str) -> Axis:
    """An end without a unit has the other's: in `0..15%` the 0 is per cent."""
    low, several, high = text.partition("..")
    low, high = low.strip(), high.strip()
    if not several:
        high = low
    elif units.unit_of(low) is None and (unit := units.unit_of(high)) is not None:
        low += unit
    try:
        axis = Axis(name, read(low), read(high))
    except units.UnitError as error:
        raise InputError(f"--{name} {text}: {error}; or a range such as {example}.") from None
    if axis.low > axis.high:
        raise InputError(f"--{name} {text}: the range's lower end comes first: {high}..{low}.")
    return axis


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _short(value: float) -> str:
    return f"{float(f'{value:.{_DIGITS}g}'):.6f}".rstrip("0").rstrip(".")


def _rate(bit_per_s: float) -> str:
    for unit, worth in (("Gbit", 1e9), ("Mbit", 1e6), ("kbit", 1e3)):
        if bit_per_s >= worth:
            return f"{_short(bit_per_s / worth)}{unit}"
    return f"{_short(bit_per_s)}bit"
