"""A cell's comparisons: what of each arm is held against the baseline, and what comes of it."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.analysis import caution, rank_test, words
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import (
    NO_EFFECT_KNOWN,
    Effect,
    Estimate,
    Pairing,
    effects,
    unresampled,
)
from pronghorn.analysis.figures import QUANTILES, finite
from pronghorn.analysis.loaded import makes_no_request
from pronghorn.analysis.numbers import listed
from pronghorn.analysis.superiority import Superiority, superiority
from pronghorn.analysis.terms import Terms, block_draws
from pronghorn.analysis.times import Times, has_failed, times
from pronghorn.analysis.verdict import LEAST_BLOCKS, decide, minimum_blocks
from pronghorn.model import load
from pronghorn.model.summary import (
    HIGHER_IS_BETTER,
    LATENCIES,
    ArmSummary,
    Comparison,
    Interval,
    Metric,
    Ratio,
    Statistic,
    Verdict,
)

_ALL: tuple[Statistic, ...] = ("median", "mean", "trimmed_mean", *QUANTILES)
_OF_RATES: tuple[Statistic, ...] = ("median", "mean", "trimmed_mean")
_OF_LATENCIES: tuple[Statistic, ...] = ("median",)
_ANY_NUMBER: frozenset[Statistic] = frozenset({"mean"})
"""What has an interval with few blocks, but no verdict: Student's, from two blocks on."""


class Column(NamedTuple):
    """An arm's values of one metric in a cell, one a block."""

    arm: str
    metric: Metric


class Asked(NamedTuple):
    """A statistic that is to be compared between two arms."""

    arm: str
    baseline: str
    metric: Metric
    statistic: Statistic

    @property
    def pairing(self) -> Pairing[Column]:
        """The arm's values over the baseline's."""
        return Pairing(Column(self.arm, self.metric), Column(self.baseline, self.metric), self.statistic)


class Values(NamedTuple):
    """A cell's values, one a block, by arm and metric, and in which blocks an arm's load failed; `idle` are
    the arms whose loads make no request."""

    columns: Mapping[Column, Times]
    failed: Mapping[str, npt.NDArray[np.bool_]]
    idle: frozenset[str] = frozenset()

    @property
    def any_failed(self) -> bool:
        """Whether any load of the cell failed."""
        return any(bool(of_arm.any()) for of_arm in self.failed.values())


def measured(trials: CellTrials) -> tuple[Metric, ...]:
    """The metrics that a cell's trials tell."""
    if trials.cell.client == load.CLIENT:
        return ("requests_per_second", "load", *LATENCIES)
    ended = [trial for arm in trials.arms for trial in trials.of(arm) if not has_failed(trial)]
    painted = bool(ended) and all(trial.page is not None and trial.page.lcp_s is not None for trial in ended)
    return ("load", "ttfb", "lcp") if painted else ("load", "ttfb")


def values(trials: CellTrials) -> Values:
    """What a cell's trials tell, as arrays."""
    metrics = measured(trials)
    of = {arm: trials.of(arm) for arm in trials.arms}
    return Values(
        {Column(arm, metric): times(of[arm], metric) for arm in trials.arms for metric in metrics},
        {arm: np.array([has_failed(trial) for trial in of[arm]], dtype=bool) for arm in trials.arms},
        frozenset(arm for arm in trials.arms if makes_no_request(of[arm])),
    )


def compared(metric: Metric) -> tuple[Statistic, ...]:
    """The statistics of a metric that are compared. Of rates the upper quantiles are the best and not the
    worst, and a load's latencies are quantiles themselves."""
    if metric in HIGHER_IS_BETTER:
        return _OF_RATES
    return _OF_LATENCIES if metric in LATENCIES else _ALL


def comparisons(
    trials: CellTrials, found: Values, arms: Mapping[str, ArmSummary], terms: Terms
) -> list[Comparison]:
    """Each arm beside the baseline, arm by arm and metric by metric."""
    metrics = [
        metric
        for metric in dict.fromkeys(column.metric for column in found.columns)
        if metric != "load" or not terms.timed
    ]
    asked = [
        Asked(arm, terms.baseline, metric, statistic)
        for arm in trials.arms
        if arm != terms.baseline
        for metric in metrics
        for statistic in compared(metric)
    ]
    effect_of = _effects(trials, found, asked, terms)
    made = [_compare(trials, found, arms, one, effect_of[one], terms) for one in asked]
    return _with_objections(made, metrics[0])


def led(trials: CellTrials, terms: Terms) -> list[tuple[Verdict, Estimate]]:
    """What the medians of the leading metric say of each arm beside the baseline: all that sampling looks
    at."""
    found = values(trials)
    leading = measured(trials)[0]
    asked = [Asked(arm, terms.baseline, leading, "median") for arm in trials.arms if arm != terms.baseline]
    effect_of = _effects(trials, found, asked, terms)
    return [(_decide(trials, found, one, effect_of[one], terms)[0], effect_of[one].ratio) for one in asked]


def _effects(trials: CellTrials, found: Values, asked: list[Asked], terms: Terms) -> dict[Asked, Effect]:
    blocks = len(trials.blocks)
    unsaid = {
        one for one in asked if _idle(one, found) or (one.statistic == "mean" and _has_no_mean(one, found))
    }
    early = {
        one
        for one in asked
        if one not in unsaid and one.statistic not in _ANY_NUMBER and blocks < LEAST_BLOCKS[one.statistic]
    }
    resampled = [one for one in asked if one not in unsaid | early]
    rng = block_draws(trials.cell, terms.seed)
    pairings = [one.pairing for one in resampled]
    confidence = terms.stage.confidence
    effect_of = effects(found.columns, pairings, rng, resamples=terms.resamples, confidence=confidence)
    return {
        **dict.fromkeys(unsaid, NO_EFFECT_KNOWN),
        **{one: unresampled(found.columns, one.pairing) for one in early},
        **{one: effect_of[one.pairing] for one in resampled},
    }


def _idle(one: Asked, found: Values) -> list[str]:
    """Which of two arms make no request, so that there is nothing to compare."""
    return [arm for arm in (one.arm, one.baseline) if arm in found.idle]


def _has_no_mean(one: Asked, found: Values) -> bool:
    """A mean of the loads that succeeded would be to the credit of the arm that loses its slowest; a rate has
    one whatever failed."""
    return one.metric not in HIGHER_IS_BETTER and found.any_failed


def _compare(
    trials: CellTrials,
    found: Values,
    arms: Mapping[str, ArmSummary],
    one: Asked,
    effect: Effect,
    terms: Terms,
) -> Comparison:
    rate = one.metric in HIGHER_IS_BETTER
    stage = terms.stage
    verdict, reason = _decide(trials, found, one, effect, terms)
    if stage.pending is not None:
        effect = Effect(effect.ratio.unbounded(0.0), effect.difference.unbounded(-math.inf))
    idle = _idle(one, found)
    if finite(effect.ratio.value) is None and not rate and found.any_failed and not idle:
        reason = "trials failed"
    mine, theirs = (found.columns[column] for column in one.pairing.columns)
    ranked = one.statistic == "median" and not idle
    better = superiority(mine, theirs, higher_is_better=rate, confidence=stage.confidence) if ranked else None
    made = Comparison(
        metric=one.metric,
        statistic=one.statistic,
        arm=one.arm,
        baseline=one.baseline,
        ratio=finite(effect.ratio.value),
        ci95=_ends(effect.ratio),
        difference=finite(effect.difference.value),
        ci95_difference=_ends(effect.difference),
        superiority=better.share if better else None,
        ci95_superiority=(better.low, better.high) if better and stage.pending is None else (None, None),
        p_value=_p_value(mine, theirs, terms) if ranked else None,
        finished=_finished(trials, found, one, terms) if ranked and stage.pending is None else None,
        verdict=verdict,
        reason=reason,
        caution=_caution(one, effect, mine, theirs),
        words="",
    )
    return made.model_copy(update={"words": _said(made, arms, better, terms, len(trials.blocks))})


def _decide(
    trials: CellTrials, found: Values, one: Asked, effect: Effect, terms: Terms
) -> tuple[Verdict, str | None]:
    if idle := _idle(one, found):
        return "undecided", f"refused: {listed(idle)} made no request"
    if terms.stage.pending is not None:
        return "undecided", terms.stage.pending
    rate = one.metric in HIGHER_IS_BETTER
    return decide(
        effect.ratio,
        margin=terms.margin,
        blocks=len(trials.blocks),
        least=max(LEAST_BLOCKS[one.statistic], minimum_blocks(terms.stage.confidence)),
        higher_is_better=rate,
        difference=effect.difference,
        margin_of_difference=None if rate else terms.margin_s,
    )


def _p_value(mine: Times, theirs: Times, terms: Terms) -> float | None:
    """The rank test's; of a cell that is looked at more than once, times the looks (Bonferroni), so that it
    holds at whichever of them sampling stops."""
    found = rank_test.p_value(mine, theirs) if terms.stage.pending is None else None
    return None if found is None else min(1.0, terms.stage.looks * found)


def _said(
    made: Comparison,
    arms: Mapping[str, ArmSummary],
    better: Superiority | None,
    terms: Terms,
    blocks: int,
) -> str:
    margin_s = None if made.metric in HIGHER_IS_BETTER else terms.margin_s
    return words.sentence(
        made,
        arms,
        better,
        title=terms.title,
        margins=(terms.margin, margin_s),
        blocks=blocks,
        sequential=terms.sampling is not None,
    )


def _caution(one: Asked, effect: Effect, mine: Times, theirs: Times) -> str | None:
    if one.statistic != "mean" or math.isnan(effect.ratio.value):
        return None
    return caution.of_means({one.arm: mine, one.baseline: theirs})


def _finished(trials: CellTrials, found: Values, one: Asked, terms: Terms) -> Ratio | None:
    """The second reading, in which failed loads are left out with their blocks."""
    failed = found.failed[one.arm] | found.failed[one.baseline]
    if one.metric in LATENCIES or not failed.any():
        return None
    left = {column: found.columns[column][~failed] for column in one.pairing.columns}
    blocks = int((~failed).sum())
    confidence = terms.stage.confidence
    if blocks < minimum_blocks(confidence):
        ratio = unresampled(left, one.pairing).ratio
    else:
        rng = block_draws(trials.cell, terms.seed, "finished", one.arm, one.metric)
        found_of = effects(left, [one.pairing], rng, resamples=terms.resamples, confidence=confidence)
        ratio = found_of[one.pairing].ratio
    return Ratio(ratio=finite(ratio.value), ci95=_ends(ratio), blocks=blocks)


def _ends(estimate: Estimate) -> Interval:
    return finite(estimate.low), finite(estimate.high)


def _with_objections(made: list[Comparison], leading: Metric) -> list[Comparison]:
    """Adds to the words on the leading metric's median what the mean says otherwise."""
    means = {one.arm: one for one in made if (one.metric, one.statistic) == (leading, "mean")}
    return [
        one.model_copy(update={"words": f"{one.words}; {said}"})
        if (one.metric, one.statistic) == (leading, "median")
        and (said := words.objection(one, means[one.arm])) is not None
        else one
        for one in made
    ]
