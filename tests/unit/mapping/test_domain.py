"""Ranges, scales, points, and the paths that are made of them."""

from pathlib import Path

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.mapping import batches, design, domain, terms
from pronghorn.mapping.domain import Point

from .maps import a_map

WHOLE = domain.parse("5ms..300ms", "0..15%", "1Mbit..1Gbit")


def test_a_range_has_its_ends_in_the_units_they_were_written_in() -> None:
    assert WHOLE.rtt[1:] == pytest.approx((0.005, 0.3))
    assert WHOLE.loss[1:] == pytest.approx((0, 0.15))
    assert WHOLE.rate[1:] == (1e6, 1e9)


@pytest.mark.parametrize(
    ("rtt", "loss", "rate", "wrong"),
    [
        ("300ms..5ms", "0..15%", "1Mbit", "lower end comes first"),
        ("0ms..5ms", "0..15%", "1Mbit", "greater than zero"),
        ("5..300", "0..15%", "1Mbit", "bare number"),
        ("5ms", "0..100%", "1Mbit", "less than 100%"),
        ("5ms", "0..15%", "1Mbyte", "unknown unit"),
        ("5ms..", "0..15%", "1Mbit", "no time"),
    ],
)
def test_a_range_that_cannot_be_is_refused(rtt: str, loss: str, rate: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        domain.parse(rtt, loss, rate)


def test_places_and_values_are_each_others_inverse() -> None:
    for axis in WHOLE:
        for place in np.linspace(0, 1, 9):
            assert axis.unit(axis.value(float(place))) == pytest.approx(place, abs=0.005)


def test_the_start_spreads_over_the_whole_map_and_its_faces() -> None:
    points = design.start(WHOLE, 60, seed=3)
    places = np.array([WHOLE.unit(point) for point in points])

    assert len({point.name for point in points}) == 60
    assert any(point.loss == 0 for point in points)
    for column in places.T:
        assert set(np.floor(column * 3.999)) == {0, 1, 2, 3}


def test_a_point_and_its_path_are_the_same() -> None:
    points = [*design.start(WHOLE, 24, seed=1), Point(0.005, 0.0, 1e9), Point(0.3, 0.15, 1e6)]

    planned = batches.experiment(a_map(), points, 1)

    assert [batches.point_of(path).name for path in planned.paths] == [point.name for point in points]
    assert [batches.point_of(path) for path in planned.paths] == [pytest.approx(point) for point in points]


def test_a_path_has_half_of_the_round_trip_each_way_and_loses_on_the_way_down() -> None:
    assert batches.path_of(Point(0.0425, 0.0131, 20.4e6)) == {
        "down": {"rate": "20400kbit", "delay": "21250us", "queue": "108375B", "loss": "1.31%"},
        "up": {"rate": "20400kbit", "delay": "21250us", "queue": "108375B"},
    }


def test_a_warning_counts_its_paths_where_they_are_many() -> None:
    paths = ["5ms 1% 1Mbit", "15ms 1% 1Mbit", "5ms 0% 1Mbit"]

    assert batches.counted(f"on {paths[0]}, {paths[1]} and {paths[2]} (h2: 1)", paths) == "on 3 paths (h2: 1)"
    assert batches.counted(f"on {paths[1]}, as said", paths) == f"on {paths[1]}, as said"


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"arms": ("h1", "h2", "h3")}, "a map compares two arms"),
        ({"client": "load"}, "page loads"),
        ({"origin": "https://example.org"}, "live server"),
        ({"site": "smal"}, "--site smal.*'small'"),
        ({"margin": "3"}, "--margin 3"),
    ],
)
def test_what_cannot_be_mapped_is_refused(changes: dict[str, object], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        batches.experiment(a_map(**changes), [Point(0.01, 0.0, 1e7)], 1)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"budget": 35}, "at least 36 trials"),
        ({"time": "soon"}, "--time soon"),
        ({"rtt": "5ms", "loss": "1%", "rate": "1Mbit"}, "not a map"),
    ],
)
def test_bounds_that_cannot_be_are_refused(changes: dict[str, object], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        a_map(**changes).check()


def test_a_resumed_map_takes_another_bound_in_place_of_its_own() -> None:
    assert a_map().extended(1200, None).points == 200
    assert a_map().extended(None, "2h") == a_map(budget=None, time="2h")
    assert a_map().extended(None, None) == a_map()


def test_terms_are_read_as_they_were_written(tmp_path: Path) -> None:
    asked = a_map(time="30m")
    terms.write(asked, tmp_path)

    assert terms.read(tmp_path) == asked
    assert asked.time_s == 1800
    assert asked.points == 100
