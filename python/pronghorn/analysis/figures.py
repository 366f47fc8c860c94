"""An arm's figures: median, means, quantiles and range of its times."""

import math

import numpy as np

from pronghorn.analysis import order_statistics
from pronghorn.analysis.times import Times
from pronghorn.model.summary import Figures, Interval, Statistic

QUANTILES: dict[Statistic, float] = {"p75": 0.75, "p90": 0.90, "p95": 0.95, "p99": 0.99}
TRIMMED = 0.2
"""The share of the values that a trimmed mean leaves out at each end: with a fifth its interval keeps its
word under heavy tails where the mean's doesn't (Wilcox, "Introduction to Robust Estimation and Hypothesis
Testing" (2012), section 4.4)."""


def median(values: Times) -> float:
    """The middle value, or the mean of the two middle ones; NaN of nothing."""
    return float(np.median(values)) if len(values) else math.nan


def rank(quantile: Statistic, n: int) -> int:
    """Which of `n` sorted values, from 1, is a quantile: the smallest that at least its share don't exceed.

    Hyndman & Fan, "Sample quantiles in statistical packages" (1996), type 1. It never interpolates, so a
    failed trial (+inf) shows as such instead of turning its neighbours infinite.
    """
    return nearest_rank(QUANTILES[quantile], n)


def nearest_rank(share: float, n: int) -> int:
    """Which of `n` sorted values, from 1, is the smallest that at least a `share` of them don't exceed."""
    return max(1, math.ceil(round(share * n, 9)))


def trimmed_mean(values: Times) -> float:
    """The mean of what is left without a fifth of the values at each end; +inf where a failed trial is left,
    NaN of nothing."""
    cut = math.floor(TRIMMED * len(values))
    kept = np.sort(values)[cut : len(values) - cut]
    return float(kept.mean()) if len(kept) else math.nan


def thin(n: int) -> list[str]:
    """The quantiles that `n` values can't tell from their maximum."""
    return [name for name, share in QUANTILES.items() if n and n * (1 - share) < 1 - 1e-9]


def figures(
    values: Times, *, with_mean: bool, confidence: float | None = order_statistics.CONFIDENCE
) -> Figures:
    """The figures of an arm's times in seconds; `with_mean` is false where a trial of the cell failed.
    Without a `confidence` no interval is given, nor how many blocks one would take."""
    if not len(values):
        return Figures()
    ordered = np.sort(values)
    intervals, needs = ({}, {}) if confidence is None else _intervals(ordered, confidence)
    return Figures(
        median=finite(median(ordered)),
        mean=finite(float(values.mean())) if with_mean else None,
        trimmed_mean=finite(trimmed_mean(ordered)),
        p75=_quantile(ordered, "p75"),
        p90=_quantile(ordered, "p90"),
        p95=_quantile(ordered, "p95"),
        p99=_quantile(ordered, "p99"),
        min=finite(float(ordered[0])),
        max=finite(float(ordered[-1])),
        ci95=intervals,
        needs=needs,
    )


def finite(value: float) -> float | None:
    """`value`, or None where it is infinite or NaN."""
    return value if math.isfinite(value) else None


def _quantile(ordered: Times, name: Statistic) -> float | None:
    return finite(float(ordered[rank(name, len(ordered)) - 1]))


def _intervals(ordered: Times, confidence: float) -> tuple[dict[str, Interval], dict[str, int]]:
    intervals: dict[str, Interval] = {}
    needs: dict[str, int] = {}
    for name, share in {"median": 0.5, **QUANTILES}.items():
        between = order_statistics.ranks(len(ordered), share, confidence)
        if between is None:
            needs[name] = order_statistics.least(share, confidence)
        else:
            low, high = between
            intervals[name] = (finite(float(ordered[low - 1])), finite(float(ordered[high - 1])))
    return intervals, needs
