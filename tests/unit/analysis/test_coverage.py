"""The intervals hold the truth as often as they claim, flags say where they may not; at reduced size (in full
in tests/verify)."""

import pytest
from scipy.stats import binom

from .coverage import examine, flagged, held_by_order
from .populations import POPULATIONS, Population

BLOCKS = 50
EXPERIMENTS = 120
FALSE_ALARM = 1e-4
"""Probability that a test fails although what it bounds is as it says."""

NAMED = {population.name: population for population in POPULATIONS}
TAME = ("log-normal σ 0.5, ρ 0.5", "30 % stall, ρ 0.3", "two modes, ρ 0")
WILD = ("log-normal σ 1, ρ 0", "log-t₃ 0.3, ρ 0.3")


@pytest.mark.parametrize("name", [*TAME, *WILD])
def test_fifty_blocks_cover_every_ratio_and_difference(name: str) -> None:
    """Fails with probability 1e-4 where a coverage is 93 %. Of the wild ones the mean is left out: it is
    flagged."""
    found = examine(NAMED[name], BLOCKS, EXPERIMENTS)
    least = binom.ppf(FALSE_ALARM, EXPERIMENTS, 0.93)
    wanted = {"median", "trimmed_mean", "p75", *(["mean"] if name in TAME else [])}
    assert wanted <= set(found.ratios)
    for statistic in sorted(wanted):
        assert found.ratios[statistic] >= least, statistic
        assert found.differences[statistic] >= least, statistic
    assert found.decided <= binom.ppf(1 - FALSE_ALARM, EXPERIMENTS, 0.05)


@pytest.mark.parametrize("population", [one for one in POPULATIONS if one.alike], ids=lambda one: one.name)
def test_intervals_of_an_arm_s_quantiles_ask_nothing_of_the_distribution(population: Population) -> None:
    for share, blocks in ((0.5, 12), (0.75, 20), (0.9, 50), (0.95, 100), (0.99, 300)):
        held = held_by_order(population, share, blocks, 1000)
        assert held is not None and held >= binom.ppf(FALSE_ALARM, 1000, 0.945), (share, blocks)


@pytest.mark.parametrize("name", WILD)
def test_means_of_wild_times_are_flagged(name: str) -> None:
    assert flagged(NAMED[name], BLOCKS, 500) >= binom.ppf(FALSE_ALARM, 500, 0.75)


@pytest.mark.parametrize("name", ["log-normal σ 0.1, ρ 0", "two modes, ρ 0", "whole round trips, ρ 0.3"])
def test_means_of_tame_times_are_seldom_flagged(name: str) -> None:
    assert flagged(NAMED[name], BLOCKS, 500) <= binom.ppf(1 - FALSE_ALARM, 500, 0.05)
