"""The intervals of every statistic, over all populations and numbers of blocks, in full."""

import pytest
from scipy.stats import binom

from ..unit.analysis.coverage import examine, flagged, found_by_ranks, held_by_order
from ..unit.analysis.populations import LTE, POPULATIONS, Population

EXPERIMENTS = 2000
FALSE_ALARM = 1e-4
"""Probability that a test fails although what it bounds is as it says."""

PROMISED = 0.93
MEANS = ("log-normal σ 0.1, ρ 0", "log-normal σ 0.5, ρ 0.5", "log-normal σ 0.3, ρ 0.9",
         "10 % stall, ρ 0", "30 % stall, ρ 0.3", "50 % stall, ρ 0.3", "two modes, ρ 0")  # fmt: skip
"""Where the mean keeps its word from 50 blocks on, flagged or not."""


@pytest.mark.parametrize("blocks", [12, 20, 50, 100])
@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)
def test_intervals_hold_the_truth(population: Population, blocks: int) -> None:
    found = examine(population, blocks, EXPERIMENTS)
    least = binom.ppf(FALSE_ALARM, EXPERIMENTS, PROMISED)
    for statistic in sorted(found.ratios):
        if statistic == "mean" and (blocks < 50 or population.name not in MEANS):
            continue
        assert found.ratios[statistic] >= least, statistic
        assert found.differences[statistic] >= least, statistic
    if population.alike:
        assert found.decided <= binom.ppf(1 - FALSE_ALARM, EXPERIMENTS, 0.05)
        assert found.rejected <= binom.ppf(1 - FALSE_ALARM, EXPERIMENTS, 0.05)


@pytest.mark.parametrize("blocks", [6, 12, 20, 50, 100, 300])
@pytest.mark.parametrize("population", [one for one in POPULATIONS if one.alike], ids=lambda one: one.name)
def test_order_statistics_hold_the_truth(population: Population, blocks: int) -> None:
    for share in (0.5, 0.75, 0.9, 0.95, 0.99):
        held = held_by_order(population, share, blocks, EXPERIMENTS)
        assert held is None or held >= binom.ppf(FALSE_ALARM, EXPERIMENTS, 0.95), share


@pytest.mark.parametrize("blocks", [50, 100])
def test_wild_means_are_flagged(blocks: int) -> None:
    for population in (one for one in POPULATIONS if one.name.startswith(("log-normal σ 1,", "log-t₃"))):
        assert flagged(population, blocks, EXPERIMENTS) >= binom.ppf(
            FALSE_ALARM, EXPERIMENTS, 0.75 if blocks == 50 else 0.6
        )


@pytest.mark.parametrize("noise", LTE, ids=lambda noise: noise.name)
def test_five_per_cent_are_found_at_the_noise_of_lte(noise: Population) -> None:
    assert found_by_ranks(noise, 0.95, 50, EXPERIMENTS) >= binom.ppf(FALSE_ALARM, EXPERIMENTS, 0.9)
