"""Sums of squares with their degrees of freedom, of which a pooled standard deviation is made."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Squares(NamedTuple):
    """The sum of the squares of deviations from means that were estimated from the same values."""

    sum: float
    freedom: int

    def __add__(self, other: object) -> "Squares":
        if not isinstance(other, Squares):
            return NotImplemented
        return Squares(self.sum + other.sum, self.freedom + other.freedom)

    @property
    def sd(self) -> float | None:
        """The pooled standard deviation; None where nothing is known of it."""
        return math.sqrt(self.sum / self.freedom) if self.freedom else None


def about_their_mean(values: Sequence[float]) -> Squares:
    """Of values about their own mean; nothing of none."""
    if not values:
        return Squares(0.0, 0)
    mean = sum(values) / len(values)
    return Squares(sum((value - mean) ** 2 for value in values), len(values) - 1)
