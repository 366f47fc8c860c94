"""A map finds a boundary that was placed by construction, within the uncertainty that it states, with a
fraction of a grid's trials; reduced here, in full in tests/verify."""

from collections.abc import Sequence

import numpy as np
import pytest

from pronghorn.errors import NothingMeasured
from pronghorn.mapping import design
from pronghorn.mapping.domain import Point
from pronghorn.mapping.explore import explore, levels
from pronghorn.mapping.observed import Observation
from pronghorn.mapping.result import full_grid_trials
from pronghorn.mapping.surface import Surface, fit

from .simulated import DOMAIN, MARGIN, explored, judge, level, mapped, measuring, slope

SEEDS = range(1, 7)
LEAST_HELD = 4
"""Of six maps whose zones hold with 95 % each, three or fewer would hold once in 450 times (binomial)."""


def test_the_boundary_lies_in_its_stated_zone_with_a_quarter_of_a_grids_trials() -> None:
    found = [judge(slope, seed) for seed in SEEDS]

    assert sum(one.held for one in found) >= LEAST_HELD
    assert all(one.trials <= full_grid_trials(DOMAIN) / 4 for one in found)
    assert np.median([max(one.wins_zone, one.costs_zone) for one in found]) < 0.25
    assert np.median([one.right for one in found]) > 0.95


def test_where_there_is_no_difference_no_arm_wins() -> None:
    found = mapped(level, seed=1, points=40)

    assert found.share("faster") == 0
    assert found.share("slower") == 0


def test_trials_go_where_the_verdict_turns() -> None:
    observations = explored(slope, seed=1).observations
    places = np.array([DOMAIN.unit(one.point) for one in observations])
    distance = np.abs(slope(places) - np.log1p(-MARGIN))

    assert np.median(distance[24:]) < 0.7 * np.median(distance[:24])


def test_an_exploration_that_is_taken_up_again_keeps_what_it_knows() -> None:
    begun = explored(slope, seed=2, points=40).observations

    whole = explore(DOMAIN, measuring(slope, 3), margin=MARGIN, seed=2, points=56, known=begun).observations

    assert whole[:40] == begun
    assert len(whole) == 56
    assert len({one.point.name for one in whole}) == 56


def test_equal_seeds_give_equal_points() -> None:
    assert explored(slope, seed=4, points=40) == explored(slope, seed=4, points=40)


def test_an_exploration_ends_with_its_time() -> None:
    answers = iter([True, True, False])

    found = explore(
        DOMAIN, measuring(slope, 1), margin=MARGIN, seed=1, points=None, in_time=lambda: next(answers)
    )

    assert found.reason == "time"
    assert len(found.observations) == 24 + 2 * 8


def test_where_nothing_loads_no_more_points_are_measured() -> None:
    seen = explored(slope, seed=6, points=32).observations
    places = np.array([DOMAIN.unit(one.point) for one in seen])
    barren = places[:, 1] > 0.6
    known = [Observation(one.point, (), 3) if empty else one for one, empty in zip(seen, barren, strict=True)]
    data = design.data_of(DOMAIN, known)
    chosen = design.batch(
        DOMAIN,
        known,
        Surface(data, fit(data)),
        levels=levels(MARGIN),
        count=8,
        blocks=3,
        seed=6,
    )

    assert chosen
    for point in chosen:
        nearest = np.argmin(((places - DOMAIN.unit(point)) ** 2).sum(axis=1))
        assert not barren[nearest]


def test_nothing_that_loads_at_all_is_an_error_that_says_so() -> None:
    def measure(points: Sequence[Point]) -> list[Observation]:
        return [Observation(point, (), 3) for point in points]

    with pytest.raises(NothingMeasured, match="at 24 of 24 points no load of either arm succeeded"):
        explore(DOMAIN, measure, margin=MARGIN, seed=1, points=100)


@pytest.mark.parametrize("points", [6, 10, 33])
def test_no_more_points_are_measured_than_the_budget_pays_for(points: int) -> None:
    assert len(explored(slope, seed=5, points=points).observations) <= points
