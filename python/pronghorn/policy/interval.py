"""A figure with how sure it is."""

from typing import NamedTuple


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float
