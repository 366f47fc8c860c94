"""Numbers as people read them."""

import pytest

from pronghorn.analysis.numbers import difference, interval, listed, percent, ratio, seconds


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.2149, "3.21 s"),
        (0.4121, "412 ms"),
        (0.9996, "1.00 s"),
        (0.9994, "999 ms"),
        (0.00052, "0.520 ms"),
        (9.996, "10.0 s"),
        (123.4, "123 s"),
        (0.0, "0 ms"),
        (None, "–"),
    ],
)
def test_times_have_three_digits(value: float | None, shown: str) -> None:
    assert seconds(value) == shown


def test_ratios_have_the_digits_that_their_interval_supports() -> None:
    assert (ratio(0.4699, 0.38, 0.61), interval(0.381, 0.61)) == ("0.47", "0.38 to 0.61")
    assert (ratio(0.9699, 0.96, 0.98), interval(0.96, 0.98)) == ("0.970", "0.960 to 0.980")
    assert (interval(0.8, None), interval(0.8, 1e12)) == ("0.80 to ∞", "0.80 to over 1000")
    assert interval(None, None) == "–"


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((-0.503, -0.512, -0.488), "-503 ms [-512, -488]"),
        ((0.0042, -0.001, 0.0098), "+4.20 ms [-1.00, +9.80]"),
        ((1.234, 0.9, None), "+1.23 s [+0.90, ∞]"),
        ((0.02, None, None), "+20.0 ms [-∞, ∞]"),
        ((0.0, 0.0, 0.0), "0 ms [0, 0]"),
        ((None, None, None), "–"),
    ],
)
def test_differences_have_one_unit_and_a_sign(ends: tuple[float | None, ...], shown: str) -> None:
    assert difference(*ends, is_time=True) == shown


def test_differences_of_rates_have_no_unit() -> None:
    assert difference(-1200.0, -1310.0, 90.0, is_time=False) == "-1 200 [-1 310, +90]"


def test_lists_and_percentages() -> None:
    assert [listed(parts) for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert [percent(share) for share in (0.03, 0.025, 0.95)] == ["3 %", "2.5 %", "95 %"]
