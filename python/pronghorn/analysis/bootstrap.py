"""95 % intervals for ratios of medians and of means, by a bootstrap over blocks.

A block's trials share their path seed and their moment, so blocks, not trials, are drawn with replacement and
the two arms of a block stay together. Which kind of interval suits which statistic was settled by simulation;
the evidence stands in docs/methodology.md.

Sources: Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 12 and 13; Davison & Hinkley,
"Bootstrap Methods and their Application" (1997), section 5.2; DiCiccio & Efron, "Bootstrap confidence
intervals", Statistical Science 11 (1996).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.times import Times

RESAMPLES = 10_000
CONFIDENCE = 0.95
_DRAWS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Estimate:
    """A ratio of arm to baseline with its interval; NaN where it isn't defined, 0 or +inf where failures
    decide.
    """

    ratio: float
    low: float
    high: float


UNDEFINED = Estimate(math.nan, math.nan, math.nan)


def ratio_of_medians(
    arm: Times,
    baseline: Times,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The ratio of the arms' medians with its percentile interval.

    `arm` and `baseline` hold one time a block, in the same order; +inf stands for a failed trial. A resample
    in which neither median is finite says nothing about the ratio, and widens the interval on both sides.
    """
    if not len(arm):
        return UNDEFINED
    both = np.stack([arm, baseline], axis=1)
    drawn = resampled_medians(both, rng, resamples=resamples)
    low, high = percentiles(divide(drawn[:, 0], drawn[:, 1]), least=0.0, confidence=confidence)
    medians = np.median(both, axis=0)
    return Estimate(float(divide(medians[:1], medians[1:])[0]), low, high)


def resampled_medians(times: Times, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> Times:
    """The arms' medians in each resample: (resamples, arms), of (blocks, arms) times with at least one block.

    A resample draws its blocks once for all arms.
    """
    return np.concatenate(
        [
            np.stack([np.median(times[:, arm][draw], axis=1) for arm in range(times.shape[1])], axis=1)
            for draw in _draws(len(times), rng, resamples)
        ]
    )


def percentiles(values: Times, *, least: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The percentile interval of a statistic of which `values` are the resamples'.

    A resample that says nothing of it (NaN) widens the interval on both sides, downwards to `least`.
    """
    tail = (1 - confidence) / 2
    unknown = np.isnan(values)
    low = _order_statistic(np.where(unknown, least, values), tail)
    high = _order_statistic(np.where(unknown, math.inf, values), 1 - tail)
    return low, high


def divide(numerator: Times, denominator: Times) -> Times:
    """Their ratio: ±inf over zero, NaN for two zeros or two infinities."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(numerator, denominator)


def ratio_of_means(
    arm: Times,
    baseline: Times,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The ratio of the arms' means with its studentised (bootstrap-t) interval, taken on the logarithm.

    `arm` and `baseline` hold one positive time a block, in the same order. Undefined where a time is infinite
    or not positive. The standard error is the delta method's for the logarithm of a ratio of paired means.
    """
    both = np.stack([arm, baseline], axis=-1)
    if len(arm) < 2 or not np.all(np.isfinite(both)) or not np.all(both > 0):
        return UNDEFINED
    centre, error = (float(value[0]) for value in _log_ratio_of_means(both[np.newaxis]))
    if error <= 1e-12:
        return Estimate(math.exp(centre), math.exp(centre), math.exp(centre))
    pivots = []
    for draw in _draws(len(arm), rng, resamples):
        centres, errors = _log_ratio_of_means(both[draw])
        pivots.append((centres - centre) / np.maximum(errors, 1e-3 * error))
    tail = (1 - confidence) / 2
    pivot = np.concatenate(pivots)
    low = centre - _order_statistic(pivot, 1 - tail) * error
    high = centre - _order_statistic(pivot, tail) * error
    return Estimate(math.exp(centre), _exp(low), _exp(high))


def _draws(n: int, rng: np.random.Generator, resamples: int) -> Iterator[npt.NDArray[np.int64]]:
    rows = max(1, _DRAWS_AT_ONCE // n)
    for start in range(0, resamples, rows):
        yield rng.integers(0, n, size=(min(rows, resamples - start), n))


def _order_statistic(values: Times, share: float) -> float:
    """The value at `share` of the sorted values, rounded outwards."""
    position = share * (len(values) - 1)
    place = math.floor(position) if share < 0.5 else math.ceil(position)
    return float(np.partition(values, place)[place])


def _log_ratio_of_means(blocks: Times) -> tuple[Times, Times]:
    """Logarithm of the ratio of means, and its standard error, of (resamples, blocks, 2) times."""
    means = blocks.mean(axis=1, keepdims=True)
    relative = blocks / means
    deviation = (relative[..., 0] - relative[..., 1]).std(axis=1, ddof=1)
    return np.log(means[:, 0, 0] / means[:, 0, 1]), deviation / math.sqrt(blocks.shape[1])


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf
