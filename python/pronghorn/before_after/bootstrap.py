"""The change of a median from one run to another, with its 95 % interval: the percentile bootstrap over
blocks, as for arms of one run (docs/methodology.md).

Two runs share no blocks, so each is resampled by itself (Efron & Tibshirani, "An Introduction to the
Bootstrap" (1993), section 8.3). Where their blocks have the same path seeds, a block of the one and its
counterpart stay together instead.
"""

from typing import NamedTuple

import numpy as np

from pronghorn.analysis.bootstrap import RESAMPLES, Estimate, divide, percentiles, resampled_medians
from pronghorn.analysis.times import Times
from pronghorn.analysis.verdict import MINIMUM_BLOCKS

NOTHING = Estimate(float("nan"), float("nan"), float("nan"))


class Change(NamedTuple):
    """After over before, and after less before."""

    ratio: Estimate
    difference: Estimate


def change_of_medians(
    before: Times, after: Times, rng: np.random.Generator, *, paired: bool, resamples: int = RESAMPLES
) -> Change:
    """The change of the median, without an interval (its ends are NaN) where either run has too few blocks
    for one. The values are one a block, +inf for a failed trial; paired ones are of the same blocks in the
    same order."""
    if not len(before) or not len(after):
        return Change(NOTHING, NOTHING)
    if min(len(before), len(after)) < MINIMUM_BLOCKS:
        return _without_intervals(before, after)
    if paired:
        drawn = resampled_medians(np.stack([before, after], axis=1), rng, resamples=resamples)
        earlier, later = drawn[:, 0], drawn[:, 1]
    else:
        earlier, later = (
            resampled_medians(values[:, np.newaxis], rng, resamples=resamples)[:, 0]
            for values in (before, after)
        )
    medians = np.array([np.median(before)]), np.array([np.median(after)])
    with np.errstate(invalid="ignore"):
        difference, drawn_differences = medians[1] - medians[0], later - earlier
    ratio = divide(medians[1], medians[0])
    return Change(
        Estimate(float(ratio[0]), *percentiles(divide(later, earlier), least=0.0)),
        Estimate(float(difference[0]), *percentiles(drawn_differences, least=-np.inf)),
    )


def _without_intervals(before: Times, after: Times) -> Change:
    medians = np.array([np.median(before)]), np.array([np.median(after)])
    with np.errstate(invalid="ignore"):
        difference = float((medians[1] - medians[0])[0])
    ratio = float(divide(medians[1], medians[0])[0])
    return Change(Estimate(ratio, np.nan, np.nan), Estimate(difference, np.nan, np.nan))
