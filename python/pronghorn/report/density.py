"""The outline of a violin: a kernel density of the times, estimated on the axis on which it is drawn."""

import math
from collections.abc import Sequence

import numpy as np

POINTS = 49
LOG_FROM = 4.0


def spread_is_large(values: Sequence[float]) -> bool:
    """Whether these times (seconds) need a logarithmic axis: a factor of four between the extremes."""
    return bool(values) and min(values) > 0 and max(values) / min(values) >= LOG_FROM


def outline(values: Sequence[float], *, logarithmic: bool) -> list[tuple[float, float]]:
    """Times with the density there, scaled to a maximum of 1; empty where there are too few or equal values.

    Gaussian kernel, Scott's bandwidth (1992). It ends at the extreme values, since no trial lay beyond them.
    """
    if len(values) < 3 or min(values) == max(values):
        return []
    scaled = np.log(values) if logarithmic else np.array(values)
    grid = np.linspace(scaled.min(), scaled.max(), POINTS)
    bandwidth = scaled.std(ddof=1) * len(scaled) ** -0.2
    density = np.exp(-((grid[:, None] - scaled) ** 2) / (2 * bandwidth**2)).sum(axis=1)
    times = np.exp(grid) if logarithmic else grid
    return [
        (round_to(float(time)), round_to(float(height)))
        for time, height in zip(times, density / density.max(), strict=True)
    ]


def jitter(count: int) -> list[float]:
    """Offsets between -0.5 and 0.5 that keep points apart: van der Corput's sequence in base 2, no
    randomness.
    """
    return [_reversed_bits(number + 1) - 0.5 for number in range(count)]


def round_to(value: float, digits: int = 5) -> float:
    """`value` to significant digits, which is plenty for a drawing."""
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


def _reversed_bits(number: int) -> float:
    result, weight = 0.0, 0.5
    while number:
        result += weight * (number & 1)
        number >>= 1
        weight /= 2
    return result
