"""Sizes lie in their ranges and make their total exactly."""

import pytest

from pronghorn.sites import sizes
from pronghorn.sites.stream import Stream


@pytest.mark.parametrize("total", [20, 21, 555, 10_000, 19_999, 20_000])
def test_any_reachable_total_is_met_within_the_ranges(total: int) -> None:
    ranges = [(1, 1_000)] * 20
    drawn = sizes.draw(ranges, Stream(1, "test").fractions("sizes", 20), total)
    assert sum(drawn) == total
    assert all(1 <= size <= 1_000 for size in drawn)


@pytest.mark.parametrize("total", [19, 20_001])
def test_an_unreachable_total_is_refused(total: int) -> None:
    with pytest.raises(ValueError, match="no sizes within the ranges"):
        sizes.draw([(1, 1_000)] * 20, [0.5] * 20, total)


def test_sizes_are_heavy_tailed() -> None:
    drawn = sorted(sizes.draw([(1_000, 1_000_000)] * 200, Stream(1, "test").fractions("s", 200), 25_000_000))
    assert sum(drawn) / len(drawn) > 2 * drawn[100]
