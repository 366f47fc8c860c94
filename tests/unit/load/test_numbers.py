"""A load's numbers have a unit, and no more digits than were measured."""

import pytest

from pronghorn.load import figures
from pronghorn.model import percentiles
from pronghorn.model.load_report import Distribution

from . import samples


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.000123456, "0.000123"),
        (0.0999, "0.0999"),
        (0.09999, "0.100"),
        (1.005, "1.00"),
        (9.999, "10.0"),
        (99.96, "100"),
        (1234, "1230"),
        (64_930.4, "64 900"),
        (1e7, "10 000 000"),
    ],
)
def test_three_digits(value: float, shown: str) -> None:
    assert figures.digits(value) == shown


def test_a_rate_of_many_requests_has_four() -> None:
    assert figures.rate(64_934, 10_000) == "64 930/s"
    assert figures.rate(64_934, 9_999) == "64 900/s"


def test_units_follow_the_size() -> None:
    assert [figures.size(value) for value in (612, 999.6, 61_234, 5e6, 2.5e9)] == [
        "612 B", "1.00 kB", "61.2 kB", "5.00 MB", "2.50 GB",
    ]  # fmt: skip
    assert [figures.duration(value) for value in (8.12e-4, 0.0124, 0.99951, 3.2)] == [
        "812 µs", "12.4 ms", "1.00 s", "3.20 s",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "needed"),
    [("p50", 5), ("p75", 11), ("p90", 29), ("p95", 59), ("p99", 299), ("p999", 2995), ("p9999", 29_956)],
)
def test_a_percentile_takes_so_many_samples_that_it_is_probably_not_the_maximum(
    key: str, needed: int
) -> None:
    assert percentiles.samples_needed(key) == needed
    share = percentiles.PERCENTILES[key]
    assert share**needed <= 0.05 < share ** (needed - 1)
    for count, told in ((needed, True), (needed - 1, False)):
        found = Distribution.model_validate(samples.distribution(count, 1.0))
        assert (percentiles.told(found, key) is not None) is told
    assert percentiles.told(None, key) is None
