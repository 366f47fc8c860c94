"""Sampling until the answer is known errs no more often than a fixed number of blocks: all populations."""

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.model.sampling import Sampling

from ..unit.analysis.populations import POPULATIONS, Population
from ..unit.analysis.sequential_runs import End, ends

EXPERIMENTS = 500
RESAMPLES = 2000
FALSE_ALARM = 1e-4 / len(POPULATIONS)
"""Probability that a population's test fails although the error is as its bound says. The standard error of
an error of 5 % is 1 %."""

RULES = {"decided": Sampling(least=12, most=60), "ci95 < 5%": Sampling(least=12, most=60, until="ci95 < 5%")}


def sampled(population: Population, rule: str, *, ratio: float = 1.0, failing: float = 0.0) -> list[End]:
    return ends(
        population.draw,
        EXPERIMENTS,
        RULES[rule],
        seed=30 + POPULATIONS.index(population),
        resamples=RESAMPLES,
        ratio=ratio,
        failing=failing,
    )


@pytest.mark.parametrize("failing", [0.0, 0.2])
@pytest.mark.parametrize(
    "population", [each for each in POPULATIONS if each.alike], ids=lambda each: each.name
)
def test_equal_arms_are_told_apart_in_no_more_than_a_twentieth_of_the_cells(
    population: Population, failing: float, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sampled(population, "decided", failing=failing)
    wrong = sum(end.verdict in ("faster", "slower") for end in found)
    missed = sum(not end.covers(1.0) for end in found)
    blocks = float(np.mean([end.blocks for end in found]))
    with capsys.disabled():
        failed = f", {failing:.0%} failed" if failing else ""
        print(
            f"\n{population.name}{failed}: {wrong / EXPERIMENTS:.1%} told apart, "
            f"{missed / EXPERIMENTS:.1%} of the intervals miss, {blocks:.1f} blocks"
        )
    assert wrong <= binom.isf(FALSE_ALARM, EXPERIMENTS, 0.05)
    assert missed <= binom.isf(FALSE_ALARM, EXPERIMENTS, 0.05)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("population", POPULATIONS, ids=lambda each: each.name)
def test_the_interval_at_which_it_stops_covers_the_truth(
    population: Population, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ratio = 0.9
    truth = ratio * population.ratio(np.median)
    found = sampled(population, rule, ratio=ratio)
    missed = sum(not end.covers(truth) for end in found)
    blocks = float(np.mean([end.blocks for end in found]))
    with capsys.disabled():
        print(f"\n{population.name}, {rule}: {missed / EXPERIMENTS:.1%} miss, {blocks:.1f} blocks")
    assert missed <= binom.isf(FALSE_ALARM, EXPERIMENTS, 0.05)
