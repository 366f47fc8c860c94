"""The time axis of violins and distributions."""

import pytest

from pronghorn.report.time_scale import time_scale


def test_times_that_differ_by_a_factor_of_four_lie_on_a_logarithmic_axis() -> None:
    wide, narrow = time_scale([0.1, 1.0]), time_scale([0.1, 0.39])
    assert wide.logarithmic
    assert not narrow.logarithmic
    assert wide.caption("load time") == "load time in s, logarithmic"
    assert narrow.caption("load time") == "load time in ms"


@pytest.mark.parametrize("times", [[0.1, 1.0], [0.3, 0.32], [0.5], [0.0, 0.0], [0.002, 90.0]])
def test_all_times_lie_within_the_axis_in_their_order(times: list[float]) -> None:
    scale = time_scale(times)
    places = [scale.place(time) for time in times]
    assert places == sorted(places)
    assert all(0.0 <= place <= 1.0 for place in places)


@pytest.mark.parametrize("times", [[0.02, 60.0], [0.1, 0.41], [1e-6, 1e6], [0.3, 0.32], [3.0, 3.0001]])
@pytest.mark.parametrize("most", [2, 3, 6, 10])
def test_ticks_are_round_within_the_axis_and_not_too_many(times: list[float], most: int) -> None:
    scale = time_scale(times)
    ticks = scale.ticks_s(most)
    assert 1 <= len(ticks) <= most + 1
    assert all(scale.low_s <= tick <= scale.high_s for tick in ticks)
    assert ticks == sorted(set(ticks))
    assert len({scale.label(tick) for tick in ticks}) == len(ticks)


def test_equal_ratios_have_equal_lengths_on_a_logarithmic_axis() -> None:
    scale = time_scale([0.1, 10.0])
    steps = [scale.place(high) - scale.place(low) for low, high in ((0.2, 0.4), (2.0, 4.0))]
    assert steps[0] == pytest.approx(steps[1])
