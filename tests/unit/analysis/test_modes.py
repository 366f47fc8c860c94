"""Two modes are found where there are two, said as seldom as promised where there is one, and parted where
they part."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from pronghorn.analysis.dip import SCALED, SIZES, TAILS, dip, p_value
from pronghorn.analysis.modes import modes
from pronghorn.analysis.times import Times

from .dip_study import scaled
from .populations import POPULATIONS

FALSE_ALARM = 1e-4
"""Probability that a test fails although what it bounds is as it says."""

NAMED = {population.name: population for population in POPULATIONS}
SINGLE = ("log-normal σ 0.1, ρ 0", "log-normal σ 1, ρ 0", "log-t₃ 0.3, ρ 0.3", "exponential, ρ 0.3")


def nearest_unimodal(values: Times) -> float:
    """The dip by its definition: for each place of the mode the least distance at which a distribution that
    is convex before and concave after it comes by, as a linear programme."""
    x = np.sort(values)
    n = len(x)
    return min(_nearest(x, n, mode) for mode in range(n))


def _nearest(x: Times, n: int, mode: int) -> float:
    """Unknown are the distribution at each value, just before the mode, and the distance."""
    before, distance = n, n + 1
    rows: list[Times] = []
    bounds: list[float] = []

    def at_most(bound: float, **_: None) -> Times:
        rows.append(np.zeros(n + 2))
        bounds.append(bound)
        return rows[-1]

    for place in range(n):
        upper = before if place == mode else place
        row = at_most(place / n)
        row[upper], row[distance] = 1.0, -1.0
        row = at_most(-(place + 1) / n)
        row[place], row[distance] = -1.0, -1.0
    row = at_most(-mode / n)
    row[before], row[distance] = -1.0, -1.0
    row = at_most((mode + 1) / n)
    row[mode], row[distance] = 1.0, -1.0
    row = at_most(0.0)
    row[before], row[mode] = 1.0, -1.0
    for left, right in ((range(mode - 1), 1.0), (range(mode, n - 2), -1.0)):
        for place in left:
            row = at_most(0.0)
            for step, sign in ((place, right), (place + 1, -right)):
                width = x[step + 1] - x[step]
                end = before if step + 1 == mode and right > 0 else step + 1
                row[end] += sign / width
                row[step] -= sign / width
    for place in range(n - 1):
        row = at_most(0.0)
        row[place], row[before if place + 1 == mode else place + 1] = 1.0, -1.0
    cost = np.zeros(n + 2)
    cost[distance] = 1.0
    found = linprog(cost, np.array(rows), np.array(bounds), bounds=[(0.0, 1.0)] * (n + 2))
    assert found.success and found.fun is not None
    return float(found.fun)


@pytest.mark.parametrize("size", [4, 7, 10])
def test_the_dip_is_the_distance_to_the_nearest_unimodal_distribution(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(8):
        values = np.where(rng.random(size) < 0.5, rng.normal(0, 0.2, size), rng.normal(1, 0.2, size))
        assert dip(values) == pytest.approx(nearest_unimodal(values), abs=1e-7)


def test_the_dip_lies_between_that_of_even_steps_and_that_of_two_points() -> None:
    assert dip(np.arange(10.0)) == pytest.approx(1 / 20)
    assert dip(np.array([0.0, 0, 0, 1, 1, 1])) == 0.25
    assert dip(np.ones(6)) == pytest.approx(1 / 12)


def test_the_table_is_that_of_uniform_samples() -> None:
    """2000 of them; a quantile's rank errs by 4 standard errors in one of 1e4 tests."""
    for size in (8, 24):
        found = dict(zip(TAILS, SCALED[SIZES.index(size)], strict=True))
        for tail in (0.2, 0.05):
            error = 4 * math.sqrt(tail * (1 - tail) / 2000)
            drawn = dict(zip(TAILS, scaled(size, 2000), strict=True))[tail]
            beyond = [np.interp(-(tail + sign * error), [-each for each in TAILS], SCALED[SIZES.index(size)])
                      for sign in (1, -1)]  # fmt: skip
            assert beyond[0] <= drawn <= beyond[1], (size, tail, found[tail])


def test_p_falls_as_the_dip_rises_and_goes_on_beyond_the_table() -> None:
    p_values = [p_value(found, 30) for found in np.linspace(0.0, 0.25, 60)]
    assert all(later <= earlier for earlier, later in pairwise(p_values))
    assert p_values[0] == 1.0
    assert 0 < p_values[-1] < 1e-7
    assert p_value(SCALED[3][TAILS.index(0.01)] / 4, 16) == pytest.approx(0.01)


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_mode_is_hardly_ever_said_to_be_two(name: str) -> None:
    """At the level of 1 %: more than 14 of 500 have a probability of 1e-4."""
    times = NAMED[name].draw(np.random.default_rng(3), 500, 20)[..., 0]
    said = sum(modes(np.log(one), 0.01) is not None for one in times)
    assert said <= binom.isf(FALSE_ALARM, 500, 0.01)


def test_the_modes_of_h2_on_lte_are_found_and_parted() -> None:
    times = np.log(NAMED["two modes, ρ 0"].draw(np.random.default_rng(4), 100, 50)[..., 0])
    found = [one for sample in times if (one := modes(sample, 0.01)) is not None]
    assert len(found) >= 95
    for one in found:
        assert math.exp(one.low) == pytest.approx(0.62, rel=0.06)
        assert math.exp(one.high) == pytest.approx(0.785, rel=0.04)
        assert one.below + one.above == 50


def test_what_lies_far_outside_does_not_part_the_others() -> None:
    logs = np.concatenate([np.linspace(0, 0.05, 10), np.linspace(0.3, 0.35, 10), [4.0]])
    found = modes(logs, 0.01)
    assert found is not None
    assert (found.below, found.above) == (10, 11)


def test_of_few_values_or_equal_ones_nothing_is_said() -> None:
    assert modes(np.array([0.0, 0, 0, 1, 1, 1, 1]), 1.0) is None
    assert modes(np.zeros(20), 0.01) is None
