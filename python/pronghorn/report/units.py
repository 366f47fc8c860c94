"""One unit for all times of a table, so that its rows compare at a glance."""

from collections.abc import Iterable
from dataclasses import dataclass

_DECIMALS = ((100, 0), (10, 1), (1, 2), (0, 3))


@dataclass(frozen=True)
class Unit:
    """A unit of time: its symbol, how many of it make a second, and the decimals that three digits need."""

    symbol: str
    per_second: float
    decimals: int

    def show(self, value: float | None) -> str:
        """A time in seconds as this unit's bare number; `–` for none."""
        return "–" if value is None else f"{value * self.per_second:.{self.decimals}f}"


def unit_for(values: Iterable[float | None]) -> Unit:
    """The unit in which the smallest of `values` (seconds) has three digits and the rest aren't unwieldy."""
    known = [value for value in values if value]
    smallest, largest = min(known, default=1.0), max(known, default=1.0)
    symbol, per_second = ("s", 1) if largest >= 1 else ("ms", 1000)
    scaled = smallest * per_second
    return Unit(symbol, per_second, next(places for least, places in _DECIMALS if scaled >= least))
