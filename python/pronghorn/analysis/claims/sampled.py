"""What an expression over arms comes to in measured cells, with its interval."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import divide, effects, percentiles, unresampled
from pronghorn.analysis.comparing import Asked
from pronghorn.analysis.resample import Ordered, drawn
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.times import Times, has_failed, times
from pronghorn.analysis.verdict import LEAST_BLOCKS
from pronghorn.model.expression import Expression, Term
from pronghorn.model.study import ClaimStatistic
from pronghorn.model.summary import HIGHER_IS_BETTER, Metric
from pronghorn.model.trial import PROGRAM_FAILED


class Located(NamedTuple):
    """An arm in a measured cell."""

    trials: CellTrials
    arm: str


Locate = Callable[[Term], Located | None]
"""Where a term was measured; None where it wasn't."""


class Found(NamedTuple):
    """A value with its 95 % interval, NaN where there is none. `blocks` says on how many the least known of
    its cells rests, `failed` how many of the loads behind it failed, by arm and path, and `objection` why it
    decides nothing."""

    value: float
    low: float
    high: float
    blocks: int
    failed: Mapping[str, int]
    objection: str | None = None


NOT_MEASURED = Found(math.nan, math.nan, math.nan, 0, {}, "not measured")
NOT_TRUSTED = NOT_MEASURED._replace(objection="no trusted block")


class Sampler:
    """Evaluates expressions; of a cell's arms the same blocks are drawn, so that what they share cancels, and
    of different cells independent ones."""

    def __init__(self, seed: int, resamples: int) -> None:
        self._seed = seed
        self._resamples = resamples
        self._drawn: dict[tuple[int, str, Metric, ClaimStatistic], tuple[float, Times]] = {}
        self._kept: list[CellTrials] = []
        self._twins: dict[str, list[int]] = {}

    def evaluate(
        self, expression: Expression, locate: Locate, metric: Metric, statistic: ClaimStatistic
    ) -> Found:
        """What the expression comes to. ValueError where it compares means of several cells."""
        places = [(term, locate(term)) for term in expression.terms]
        measured = [(term, at) for term, at in places if at is not None]
        empty = [at.trials for _, at in measured if not at.trials.blocks]
        if len(measured) < len(places) or not all(trials.contaminated for trials in empty):
            return NOT_MEASURED
        if empty:
            return NOT_TRUSTED
        blocks = min(len(at.trials.blocks) for _, at in measured)
        failed: dict[str, int] = {}
        for _, at in measured:
            failed |= _failed(at)
        least = least_blocks(statistic)
        if statistic == "mean":
            found = self._of_means(expression, measured, metric, any_failed=bool(failed))
        else:
            found = self._of_order(expression, measured, metric, statistic)
        found = found._replace(blocks=blocks, failed=failed)
        if blocks < least:
            needs = f"needs more blocks ({blocks} of at least {least})"
            return found._replace(low=math.nan, high=math.nan, objection=needs)
        if broken := [told for _, at in measured if (told := _broken(at)) is not None]:
            return found._replace(low=math.nan, high=math.nan, objection=broken[0])
        if found.objection is None and math.isnan(found.value):
            return found._replace(objection=f"the {expression.kind} is not defined")
        return found

    def _of_means(
        self,
        expression: Expression,
        places: list[tuple[Term, Located]],
        metric: Metric,
        *,
        any_failed: bool,
    ) -> Found:
        if len(places) != 2 or places[0][1].trials is not places[1][1].trials:
            raise ValueError("means are compared of two arms in one cell")
        (first, mine), (second, theirs) = places
        if (first.sign, second.sign) != (1, -1):
            raise ValueError("means are compared as a ratio or a difference")
        if any_failed and metric not in HIGHER_IS_BETTER:
            return NOT_MEASURED._replace(objection="loads failed, so there is no mean")
        trials = mine.trials
        asked = Asked(mine.arm, theirs.arm, metric, "mean").pairing
        columns = {column: times(trials.of(column.arm), metric) for column in asked.columns}
        if len(trials.blocks) < least_blocks("mean"):
            effect = unresampled(columns, asked)
        else:
            rng = self._generator(trials)
            effect = effects(columns, [asked], rng, resamples=self._resamples)[asked]
        one = effect.ratio if expression.kind == "ratio" else effect.difference
        return Found(one.value, one.low, one.high, 0, {})

    def _of_order(
        self,
        expression: Expression,
        places: list[tuple[Term, Located]],
        metric: Metric,
        statistic: ClaimStatistic,
    ) -> Found:
        value, resampled = np.array([expression.neutral]), np.full(self._resamples, expression.neutral)
        for term, at in places:
            found, draws = self._statistic(at, metric, statistic)
            value = _joined(expression, term, value, np.array([found]))
            resampled = _joined(expression, term, resampled, draws)
        least = 0.0 if expression.kind == "ratio" else -math.inf
        return Found(float(value[0]), *percentiles(resampled, least=least), 0, {})

    def _statistic(self, at: Located, metric: Metric, statistic: ClaimStatistic) -> tuple[float, Times]:
        key = id(at.trials), at.arm, metric, statistic
        if key not in self._drawn:
            found = times(at.trials.of(at.arm), metric)
            ordered = Ordered(found)
            rng = self._generator(at.trials)
            self._drawn[key] = (
                _whole(found, statistic),
                np.concatenate(
                    [_of(ordered, statistic, counts) for counts in drawn(len(found), rng, self._resamples)]
                ),
            )
        return self._drawn[key]

    def _generator(self, trials: CellTrials) -> np.random.Generator:
        """The cell's, shared with no cell of the same name in another run or of another version."""
        name = str(trials.cell.on_any_version)
        twins = self._twins.setdefault(name, [])
        if id(trials) not in twins:
            twins.append(id(trials))
            self._kept.append(trials)
        return generator(self._seed, "claims", name, str(twins.index(id(trials))))


MOST_BROKEN = 0.05
"""The share of an arm's loads that may have failed because a program did. Beyond it, they say nothing about a
protocol."""

INTERQUARTILE_BLOCKS = 20
"""From here on the interval of a ratio of interquartile ranges was simulated (docs/methodology.md)."""


def least_blocks(statistic: ClaimStatistic) -> int:
    """From how many blocks on a statistic has an interval that decides."""
    return INTERQUARTILE_BLOCKS if statistic == "iqr" else LEAST_BLOCKS[statistic]


def values(expression: Expression, locate: Locate, metric: Metric, statistic: ClaimStatistic) -> list[float]:
    """What each of an expression's terms comes to by itself, NaN where it wasn't measured."""
    found = []
    for term in expression.terms:
        at = locate(term)
        if at is None or not at.trials.blocks:
            found.append(math.nan)
        else:
            found.append(_whole(times(at.trials.of(at.arm), metric), statistic))
    return found


def _whole(found: Times, statistic: ClaimStatistic) -> float:
    """The statistic of all values."""
    if statistic == "mean":
        return float(np.mean(found))
    return float(_of(Ordered(found), statistic, np.ones((len(found), 1), dtype=np.int32))[0])


def _of(ordered: Ordered, statistic: ClaimStatistic, counts: np.ndarray) -> Times:
    cumulated = ordered.cumulated(counts)
    if statistic == "iqr":
        return ordered.interquartile(cumulated)
    return ordered.resampled(statistic, cumulated)


def _joined(expression: Expression, term: Term, so_far: Times, more: Times) -> Times:
    if expression.kind == "ratio":
        with np.errstate(invalid="ignore"):
            return so_far * more if term.sign > 0 else divide(so_far, more)
    with np.errstate(invalid="ignore"):
        return np.asarray(so_far + term.sign * more)


def _broken(at: Located) -> str | None:
    """Why an arm's loads say nothing: too many failed for a program that did."""
    trials = at.trials.of(at.arm)
    number = sum(trial.status == "failed" and trial.reason in PROGRAM_FAILED for trial in trials)
    if number <= MOST_BROKEN * len(trials):
        return None
    return f"in {number} of {len(trials)} loads of {at.arm} a program failed"


def _failed(at: Located) -> dict[str, int]:
    number = sum(has_failed(trial) for trial in at.trials.of(at.arm))
    return {f"{at.arm} on {at.trials.cell.path}": number} if number else {}
