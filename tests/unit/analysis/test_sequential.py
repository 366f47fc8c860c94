"""Looks at growing data: bounds as published, and an error that all looks together keep."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.analysis.sequential import LEAST_TAIL, Boundary, Spending, boundary, power_family, spaced
from pronghorn.model.sampling import Sampling

from .populations import POPULATIONS
from .sequential_runs import End, ends
from .sequential_study import obrien_fleming, pocock

FALSE_ALARM = 1e-4
"""Probability that a test fails although the error is as its bound says."""


def bounds(looks: tuple[int, ...], spending: Spending) -> list[float]:
    """The boundary on the scale of a standard normal statistic."""
    from scipy.stats import norm

    return [float(norm.isf(tail)) for tail in boundary(looks, spending).tails]


def test_bounds_are_those_of_the_literature() -> None:
    """Five equal looks, 5 % on both sides: the tables of Reboussin, DeMets, Kim & Lan, "Computations for
    group sequential boundaries using the Lan-DeMets spending function method", Controlled Clinical Trials 21
    (2000). O'Brien and Fleming's first bound, 4.877, lies further out than any resample, and is left out."""
    fifths = (20, 40, 60, 80, 100)
    assert bounds(fifths, pocock) == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=0.002)
    assert bounds(fifths, obrien_fleming) == pytest.approx([3.357, 2.680, 2.290, 2.031], abs=0.002)


@pytest.mark.parametrize("spending", [power_family, pocock, obrien_fleming])
def test_a_random_walk_leaves_the_bounds_as_often_as_the_error_allows(spending: Spending) -> None:
    """400 000 walks; the share that leaves is 5 % with a standard error of 0.034 %."""
    found = boundary(spaced(12, 60), spending)
    steps = np.diff([0, *found.looks])
    walks = np.cumsum(
        np.random.default_rng(5).standard_normal((400_000, len(steps))) * np.sqrt(steps), axis=1
    )
    statistics = np.abs(walks) / np.sqrt(found.looks)
    left = np.mean(np.any(statistics > bounds(spaced(12, 60), spending), axis=1))
    assert left == pytest.approx(0.05, abs=4 * 0.00034)


@pytest.mark.parametrize(
    ("least", "most"), [(6, 6), (6, 7), (6, 8), (6, 20), (12, 12), (12, 60), (12, 5000), (999, 1000)]
)
def test_looks_ascend_to_the_most_and_each_can_have_an_interval(least: int, most: int) -> None:
    found = Boundary.between(least, most)
    assert found.looks[-1] == most
    assert all(least <= look < later for look, later in itertools.pairwise(found.looks))
    for look, tail in zip(found.looks, found.tails, strict=True):
        assert tail >= LEAST_TAIL
        assert tail >= 0.5**look, "not even the whole range of the blocks reaches further out"
        assert found.confidence(look) == pytest.approx(1 - 2 * tail)
    assert math.fsum(found.tails) >= 0.025 * (1 - 1e-9)


def test_a_single_look_is_the_fixed_interval() -> None:
    assert Boundary.between(20, 20).confidence(20) == pytest.approx(0.95)


def test_the_next_look_after_so_many_blocks() -> None:
    found = Boundary.between(12, 60)
    assert found.next_after(0) == found.looks[0]
    assert found.next_after(found.looks[0]) == found.looks[1]
    assert found.next_after(60) is None


UNTIL_DECIDED = Sampling(least=12, most=30)
THREE = (POPULATIONS[0], POPULATIONS[4], POPULATIONS[6])
EXPERIMENTS = 50


def of_three(sampling: Sampling, *, ratio: float = 1.0, failing: float = 0.0) -> list[End]:
    """Experiments on three populations: narrow, heavy-tailed, with stalls."""
    return [
        end
        for place, population in enumerate(THREE)
        for end in ends(
            population.draw,
            EXPERIMENTS,
            sampling,
            seed=place,
            resamples=1000,
            ratio=ratio,
            failing=failing,
        )
    ]


@pytest.mark.parametrize("failing", [0.0, 0.2])
def test_equal_arms_are_seldom_told_apart_however_often_one_looks(failing: float) -> None:
    """Fails with probability 1e-4 where 5 % of A/A experiments are decided; the margin makes them fewer. The
    full study stands in tests/verify/test_sequential_often.py."""
    found = of_three(UNTIL_DECIDED, failing=failing)
    wrong = sum(end.verdict in ("faster", "slower") for end in found)
    assert wrong <= binom.ppf(1 - FALSE_ALARM, len(found), 0.05)
    assert sum(end.covers(1.0) for end in found) >= binom.ppf(FALSE_ALARM, len(found), 0.95)


def test_a_precise_interval_covers_the_truth_though_it_was_stopped_for_its_width() -> None:
    """Fails with probability 1e-4 where 95 % of the intervals cover the true ratio."""
    found = of_three(Sampling(least=12, most=30, until="ci95 < 10%"), ratio=0.7)
    assert {end.blocks for end in found} >= {30}
    assert min(end.blocks for end in found) < 30
    assert sum(end.covers(0.7) for end in found) >= binom.ppf(FALSE_ALARM, len(found), 0.95)


def test_what_is_plain_is_known_soon() -> None:
    found = of_three(UNTIL_DECIDED, ratio=0.4)
    assert all(end.verdict != "slower" for end in found)
    assert np.median([end.blocks for end in found]) == 12
