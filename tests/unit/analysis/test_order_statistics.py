"""Between which two sorted values a quantile lies."""

import pytest
from scipy.stats import binom

from pronghorn.analysis.order_statistics import least, ranks


@pytest.mark.parametrize(("share", "blocks"), [(0.5, 6), (0.75, 11), (0.9, 29), (0.95, 59), (0.99, 299)])
def test_how_many_values_an_interval_takes(share: float, blocks: int) -> None:
    assert least(share) == blocks
    assert ranks(blocks - 1, share) is None
    assert ranks(blocks, share) is not None


@pytest.mark.parametrize("share", [0.5, 0.75, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [6, 7, 12, 29, 59, 100, 299, 1000])
def test_it_holds_95_per_cent_and_no_narrower_one_does(n: int, share: float) -> None:
    between = ranks(n, share)
    if between is None:
        assert 1 - share**n - (1 - share) ** n < 0.95
        return
    low, high = between
    assert _held(low, high, n, share) >= 0.95
    narrower = high - low - 1
    assert all(_held(start, start + narrower, n, share) < 0.95 for start in range(1, n - narrower + 1))


def test_of_the_median_both_risks_are_alike() -> None:
    for n in (6, 12, 20, 51):
        between = ranks(n, 0.5)
        assert between is not None and abs(sum(between) - (n + 1)) <= 1


def test_many_values_are_quick_and_exact_enough() -> None:
    between = ranks(100_000, 0.99)
    assert between is not None
    assert _held(*between, 100_000, 0.99) == pytest.approx(0.95, abs=0.005)


def _held(low: int, high: int, n: int, share: float) -> float:
    """The probability that at least `low` and fewer than `high` values lie below the quantile."""
    return float(binom.cdf(high - 1, n, share) - binom.cdf(low - 1, n, share))
