"""What an axis of ratios shows of an interval, and its ticks."""

import math
from itertools import pairwise

import pytest

from pronghorn.model.comparison import Interval
from pronghorn.report.ratio_axis import interval_bar, ratio_ticks


@pytest.mark.parametrize(
    ("at", "ci95", "bar"),
    [
        (0.8, (0.7, 0.9), (0.7, 0.9)),
        (0.8, (None, None), (0.8, 0.8)),
        (0.72, (0.0, 1.74), (0.5, 1.74)),
        (0.72, (0.6, None), (0.6, 2.0)),
        (41.99, (None, None), (2.0, 2.0)),
        (41.99, (30.0, 50.0), (2.0, 2.0)),
        (None, (None, None), (0.5, 2.0)),
    ],
)
def test_an_end_beyond_the_axis_stands_at_its_edge(
    at: float | None, ci95: Interval, bar: tuple[float, float]
) -> None:
    assert interval_bar(at, ci95, 0.5, 2.0) == bar


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.1), (0.3, 1.5), (0.01, 100.0)])
@pytest.mark.parametrize("width", [320, 760])
def test_ticks_are_round_and_apart_and_one_is_among_them(low: float, high: float, width: int) -> None:
    ticks = ratio_ticks(low, high, width, ["small, lte-poor\nh3+0rtt"])
    assert 1 in ticks
    assert all(low <= tick <= high for tick in ticks)
    px = (width / 3) / math.log(high / low)
    assert all(px * math.log(upper / lower) > 12 for lower, upper in pairwise(ticks))
