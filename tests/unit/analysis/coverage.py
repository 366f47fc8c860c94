"""How often the product's own intervals hold the truth, by simulated experiments whose truth is known."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from pronghorn.analysis import caution, order_statistics, rank_test
from pronghorn.analysis.bootstrap import Estimate, Pairing, effects
from pronghorn.analysis.figures import QUANTILES, TRIMMED
from pronghorn.analysis.verdict import LEAST_BLOCKS, decide
from pronghorn.model.summary import Statistic

from .populations import Population, Times


@dataclass
class Tally:
    """Of so many experiments, how many intervals of each statistic's ratio and difference held the truth; how
    many of the means were flagged, and how many of those left alone held it; how many verdicts told the arms
    apart; and how many rank tests did at 5 %."""

    experiments: int
    ratios: Counter[str] = field(default_factory=Counter)
    differences: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    unflagged_held: int = 0
    decided: int = 0
    rejected: int = 0


def examine(
    population: Population,
    blocks: int,
    experiments: int,
    *,
    statistics: Sequence[Statistic] = tuple(LEAST_BLOCKS),
    resamples: int = 1000,
    seed: int = 20,
) -> Tally:
    """Makes the experiments, and holds every interval that so many blocks support against the truth."""
    asked = [Pairing("arm", "baseline", each) for each in statistics if blocks >= LEAST_BLOCKS[each]]
    truths = {
        one: (population.ratio(truth_of(one.statistic)), population.difference(truth_of(one.statistic)))
        for one in asked
    }
    rng = np.random.default_rng([seed, blocks])
    tally = Tally(experiments)
    for times in population.draw(rng, experiments, blocks):
        arm, baseline = times[:, 0], times[:, 1]
        columns = dict(zip(asked[0].columns, (arm, baseline), strict=True))
        found = effects(columns, asked, rng, resamples=resamples)
        suspect = caution.of_means({"arm": arm, "baseline": baseline}) is not None
        tally.flagged += suspect
        p = rank_test.p_value(arm, baseline)
        tally.rejected += p is not None and p <= 0.05
        for one, effect in found.items():
            ratio, difference = truths[one]
            held = _holds(effect.ratio, ratio)
            tally.ratios[one.statistic] += held
            tally.differences[one.statistic] += _holds(effect.difference, difference)
            tally.unflagged_held += one.statistic == "mean" and held and not suspect
            if one.statistic == "median":
                verdict, _ = decide(effect.ratio, margin=0.03, blocks=blocks)
                tally.decided += verdict in ("faster", "slower")
    return tally


def held_by_order(population: Population, share: float, blocks: int, experiments: int) -> int | None:
    """How many order-statistic intervals of an arm's quantile held the truth; None where there are none with
    so few blocks."""
    between = order_statistics.ranks(blocks, share)
    if between is None:
        return None
    truth = np.quantile(_many(population), share)
    rng = np.random.default_rng([21, blocks])
    ordered = np.sort(population.draw(rng, experiments, blocks)[:, :, 0], axis=1)
    low, high = (ordered[:, rank - 1] for rank in between)
    return int(np.sum((low <= truth) & (truth <= high)))


def flagged(population: Population, blocks: int, experiments: int) -> int:
    """Of how many experiments the mean is flagged."""
    times = population.draw(np.random.default_rng([22, blocks]), experiments, blocks)
    return sum(caution.of_means({"arm": one[:, 0], "baseline": one[:, 1]}) is not None for one in times)


def found_by_ranks(noise: Population, ratio: float, blocks: int, experiments: int) -> int:
    """In how many experiments the rank test finds, at 5 %, that an arm takes `ratio` times as long."""
    times = noise.draw(np.random.default_rng([23, blocks]), experiments, blocks)
    p_values = (rank_test.p_value(ratio * one[:, 0], one[:, 1]) for one in times)
    return sum(p is not None and p <= 0.05 for p in p_values)


def truth_of(statistic: Statistic) -> Callable[..., Times]:
    """What a statistic is of a whole population, along an axis."""
    if statistic in QUANTILES:
        return lambda times, axis: np.quantile(times, QUANTILES[statistic], axis=axis)
    if statistic == "trimmed_mean":
        return _trimmed
    return np.median if statistic == "median" else np.mean


@lru_cache(maxsize=2)
def _many(population: Population) -> Times:
    return np.sort(population.draw(np.random.default_rng(98), 500_000, 1)[:, 0, 0])


def _holds(found: Estimate, truth: float) -> bool:
    return found.low <= truth <= found.high


def _trimmed(times: Times, axis: int) -> Times:
    ordered = np.sort(np.moveaxis(times, axis, 0), axis=0)
    cut = math.floor(TRIMMED * len(ordered))
    return np.asarray(ordered[cut : len(ordered) - cut].mean(axis=0))
