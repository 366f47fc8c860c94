"""An arm's figures: median, mean, quantiles and range of its times."""

import math

import numpy as np

from pronghorn.analysis.times import Times
from pronghorn.model.summary import Figures

QUANTILES = {"p90": 0.90, "p99": 0.99}


def median(values: Times) -> float:
    """The middle value, or the mean of the two middle ones; NaN of nothing."""
    return float(np.median(values)) if len(values) else math.nan


def nearest_rank(values: Times, share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; NaN of nothing.

    Hyndman & Fan, "Sample quantiles in statistical packages" (1996), type 1. It never interpolates, so a
    failed trial (+inf) shows as such instead of turning its neighbours infinite.
    """
    if not len(values):
        return math.nan
    rank = max(1, math.ceil(round(share * len(values), 9)))
    return float(np.sort(values)[rank - 1])


def thin(n: int) -> list[str]:
    """The quantiles that `n` values can't tell from their maximum."""
    return [name for name, share in QUANTILES.items() if n and n * (1 - share) < 1 - 1e-9]


def figures(values: Times, *, with_mean: bool) -> Figures:
    """The figures of an arm's times in seconds; `with_mean` is false where a trial of the cell failed."""
    if not len(values):
        return Figures()
    return Figures(
        median=finite(median(values)),
        mean=finite(float(values.mean())) if with_mean else None,
        p90=finite(nearest_rank(values, QUANTILES["p90"])),
        p99=finite(nearest_rank(values, QUANTILES["p99"])),
        min=finite(float(values.min())),
        max=finite(float(values.max())),
    )


def finite(value: float) -> float | None:
    """`value`, or None where it is infinite or NaN."""
    return value if math.isfinite(value) else None
