"""Regions and boundaries of draws and lines that were made by hand."""

import numpy as np
import pytest

from pronghorn.mapping.contours import contour
from pronghorn.mapping.regions import Sides, crossings, sides


def line(*states: int) -> Sides:
    state = np.array(states)
    return Sides(state == -1, state == 1)


PLACES = np.linspace(0, 1, 6)


def test_all_of_a_region_is_on_its_side_with_the_confidence() -> None:
    # Each of 100 nodes is below the level in 99 of 100 draws, but never all of them at once.
    draws = np.where(np.eye(100, dtype=bool), 1.0, -1.0)

    found = sides(draws, 0.0, confidence=0.9)

    assert found.below.sum() == 5
    assert not found.above.any()


def test_nodes_that_go_together_share_their_error() -> None:
    draws = np.where(np.arange(100)[:, None] < 2, 1.0, -1.0) * np.ones((1, 50))

    assert sides(draws, 0.0, confidence=0.9).below.all()


def test_a_crossing_lies_between_the_last_certain_nodes() -> None:
    mean = np.array([0.3, 0.2, 0.1, -0.1, -0.2, -0.3])

    found = crossings(PLACES, mean, line(1, 1, 0, 0, -1, -1), 0.0)

    assert found == [pytest.approx((0.5, 0.2, 0.8))]


def test_a_crossing_near_the_edge_is_open_on_that_side() -> None:
    mean = np.array([0.3, 0.2, 0.1, 0.05, 0.02, -0.02])

    found = crossings(PLACES, mean, line(1, 1, 1, 0, 0, 0), 0.0)

    assert found[0][:2] == pytest.approx((0.9, 0.4))
    assert found[0].high is None
    assert len(found) == 1


def test_a_line_on_one_side_has_no_crossing() -> None:
    assert crossings(PLACES, np.full(6, 0.3), line(1, 1, 1, 1, 1, 1), 0.0) == []
    assert crossings(PLACES, np.full(6, 0.3), line(1, 1, 0, 0, 1, 1), 0.0) == []


def test_a_line_may_cross_twice() -> None:
    mean = np.array([0.3, 0.1, -0.1, -0.1, 0.1, 0.3])

    found = crossings(PLACES, mean, line(1, 0, -1, -1, 0, 1), 0.0)

    assert [one.place for one in found] == [pytest.approx(0.3), pytest.approx(0.7)]


def test_a_contour_of_a_plane_is_a_straight_line() -> None:
    field = np.add.outer(np.arange(4.0), np.zeros(3))

    found = contour(field, 1.25)

    assert all(x == pytest.approx(1.25) for one in found for x in (one.x1, one.x2))
    assert sorted({y for one in found for y in (one.y1, one.y2)}) == pytest.approx([0, 1, 2])


def test_of_a_saddle_the_high_corners_are_cut_off_each_by_itself() -> None:
    found = contour(np.array([[1.0, 0.0], [0.0, 1.0]]), 0.6)

    assert len(found) == 2
    for one in found:
        assert abs(one.x1 - one.x2) == pytest.approx(0.4)
        assert abs(one.y1 - one.y2) == pytest.approx(0.4)
