"""95 % intervals for ratios and differences of medians, quantiles and means, by a bootstrap over blocks.

A block's trials share their path seed and their moment, so blocks, not trials, are drawn with replacement and
all arms of a block stay together. Which kind of interval suits which statistic was settled by simulation;
the evidence stands in docs/methodology.md: percentile intervals for what is ordered (medians, quantiles,
trimmed means), studentised ones for means, no narrower than Student's.

Sources: Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 12 and 13; Davison & Hinkley,
"Bootstrap Methods and their Application" (1997), section 5.2; DiCiccio & Efron, "Bootstrap confidence
intervals", Statistical Science 11 (1996).
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from pronghorn.analysis.resample import Ordered, drawn
from pronghorn.analysis.studentised import Difference, LogRatio
from pronghorn.analysis.times import Times
from pronghorn.model.summary import Statistic

RESAMPLES = 10_000
CONFIDENCE = 0.95

Key = TypeVar("Key", bound=Hashable)
"""What tells a column of values, one a block, from the others of a cell."""


@dataclass(frozen=True)
class Estimate:
    """A ratio of arm to baseline, or their difference, as `value` with the ends of its interval; NaN where it
    isn't defined, 0 or ±inf where failures decide.
    """

    value: float
    low: float
    high: float

    def unbounded(self, least: float) -> "Estimate":
        """The same with an interval that excludes nothing from `least` up."""
        return Estimate(self.value, least, math.inf)


UNDEFINED = Estimate(math.nan, math.nan, math.nan)


class Effect(NamedTuple):
    """How far an arm's statistic is from the baseline's: as their ratio, and as a difference in the values'
    own unit."""

    ratio: Estimate
    difference: Estimate


NO_EFFECT_KNOWN = Effect(UNDEFINED, UNDEFINED)


class Pairing(NamedTuple, Generic[Key]):
    """A statistic of one column that is to be compared with that of another: `over` held against `under`."""

    over: Key
    under: Key
    statistic: Statistic

    @property
    def columns(self) -> tuple[Key, Key]:
        """The columns' keys."""
        return self.over, self.under


def effects(
    columns: Mapping[Key, Times],
    asked: Sequence[Pairing[Key]],
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> dict[Pairing[Key], Effect]:
    """The effect of each of `asked`, all from the same resamples of a cell's blocks.

    `columns` hold one value a block each, in the same order; +inf stands for a failed trial. A resample in
    which neither arm's statistic is finite says nothing about them, and widens the intervals on both sides.
    """
    blocks = max((len(values) for values in columns.values()), default=0)
    if not blocks:
        return dict.fromkeys(asked, NO_EFFECT_KNOWN)
    ordered = {column: Ordered(values) for column, values in columns.items()}
    wanted: dict[Key, set[Statistic]] = defaultdict(set)
    pivots: dict[Pairing[Key], tuple[LogRatio, Difference]] = {}
    for one in asked:
        if one.statistic != "mean":
            for column in one.columns:
                wanted[column].add(one.statistic)
        else:
            pair = columns[one.columns[0]], columns[one.columns[1]]
            pivots[one] = LogRatio(*pair), Difference(*pair)
    parts: dict[tuple[Key, Statistic], list[Times]] = defaultdict(list)
    for counts in drawn(blocks, rng, resamples):
        for column in wanted:
            cumulated = ordered[column].cumulated(counts)
            for statistic, values in ordered[column].all_resampled(wanted[column], cumulated).items():
                parts[column, statistic].append(values)
        if pivots:
            shares = counts / blocks
            for pair_of_pivots in pivots.values():
                for pivot in pair_of_pivots:
                    pivot.take(shares)
    whole = {key: np.concatenate(found) for key, found in parts.items()}
    return {
        one: Effect(*(_studentised(pivot, confidence) for pivot in pivots[one]))
        if one.statistic == "mean"
        else _of_order(one, ordered, whole, confidence)
        for one in asked
    }


def unresampled(columns: Mapping[Key, Times], one: Pairing[Key]) -> Effect:
    """The effect without an interval, whose ends are NaN."""
    over, under = (columns[key] for key in one.columns)
    if not len(over):
        return NO_EFFECT_KNOWN
    mine, theirs = (np.array([Ordered(values).found(one.statistic)]) for values in (over, under))
    return Effect(
        Estimate(float(divide(mine, theirs)[0]), math.nan, math.nan),
        Estimate(float(_less(mine, theirs)[0]), math.nan, math.nan),
    )


def _of_order(
    one: Pairing[Key],
    ordered: Mapping[Key, Ordered],
    whole: Mapping[tuple[Key, Statistic], Times],
    confidence: float,
) -> Effect:
    arm, baseline = (np.array([ordered[column].found(one.statistic)]) for column in one.columns)
    arms, baselines = (whole[column, one.statistic] for column in one.columns)
    low, high = percentiles(divide(arms, baselines), least=0.0, confidence=confidence)
    least, most = percentiles(_less(arms, baselines), least=-math.inf, confidence=confidence)
    return Effect(
        Estimate(float(divide(arm, baseline)[0]), low, high),
        Estimate(float(_less(arm, baseline)[0]), least, most),
    )


def _studentised(pivot: LogRatio | Difference, confidence: float) -> Estimate:
    if not pivot.defined:
        return UNDEFINED
    if pivot.exact:
        return Estimate(pivot.value, pivot.value, pivot.value)
    tail = (1 - confidence) / 2
    least, most = percentiles(pivot.values(), least=-math.inf, confidence=confidence)
    reach = pivot.reach(tail)
    return Estimate(pivot.value, pivot.end(max(most, reach)), pivot.end(min(least, -reach)))


def ratio_of(
    statistic: Statistic,
    arm: Times,
    baseline: Times,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The ratio of one statistic of two arms with its interval; see `effects`.

    Of means it is the hull of the studentised (bootstrap-t) interval and Student's, both taken on the
    logarithm, and undefined where a time is infinite or not positive.
    """
    one = Pairing("arm", "baseline", statistic)
    columns = {"arm": arm, "baseline": baseline}
    return effects(columns, [one], rng, resamples=resamples, confidence=confidence)[one].ratio


def resampled_medians(times: Times, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> Times:
    """The arms' medians in each resample: (resamples, arms), of (blocks, arms) times with at least one block.

    A resample draws its blocks once for all arms; those of `effects` are the same where `rng` is.
    """
    arms = [Ordered(times[:, place]) for place in range(times.shape[1])]
    return np.concatenate(
        [
            np.stack([arm.resampled("median", arm.cumulated(counts)) for arm in arms], axis=1)
            for counts in drawn(len(times), rng, resamples)
        ]
    )


def percentiles(values: Times, *, least: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The percentile interval of a statistic of which `values` are the resamples'.

    A resample that says nothing of it (NaN) widens the interval on both sides, downwards to `least`.
    """
    tail = (1 - confidence) / 2
    unknown = np.isnan(values)
    if not unknown.any():
        ends = _place(len(values), tail), _place(len(values), 1 - tail)
        placed = np.partition(values, ends)
        return float(placed[ends[0]]), float(placed[ends[1]])
    low = _order_statistic(np.where(unknown, least, values), tail)
    high = _order_statistic(np.where(unknown, math.inf, values), 1 - tail)
    return low, high


def divide(numerator: Times, denominator: Times) -> Times:
    """Their ratio: ±inf over zero, NaN for two zeros or two infinities."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(numerator, denominator)


def _less(values: Times, subtrahend: Times) -> Times:
    """Their difference: NaN for two infinities."""
    with np.errstate(invalid="ignore"):
        return np.subtract(values, subtrahend)


def _order_statistic(values: Times, share: float) -> float:
    """The value at `share` of the sorted values, rounded outwards."""
    place = _place(len(values), share)
    return float(np.partition(values, place)[place])


def _place(n: int, share: float) -> int:
    position = share * (n - 1)
    return math.floor(position) if share < 0.5 else math.ceil(position)
