"""The verdict against the margin."""

import math

import pytest

from pronghorn.analysis.bootstrap import UNDEFINED, Estimate
from pronghorn.analysis.verdict import LEAST_BLOCKS, decide


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.50, 0.9699, "faster"),
        (0.50, 0.97, "undecided"),
        (0.97, 1.03, "same"),
        (0.9699, 1.03, "undecided"),
        (0.97, 1.0301, "undecided"),
        (1.03, 2.0, "undecided"),
        (1.0301, 2.0, "slower"),
        (1.1, math.inf, "slower"),
        (math.inf, math.inf, "slower"),
        (0.0, 0.0, "faster"),
        (0.0, math.inf, "undecided"),
        (1.0, 1.0, "same"),
    ],
)
def test_where_the_interval_lies_decides(low: float, high: float, verdict: str) -> None:
    assert decide(Estimate(low, low, high), margin=0.03, blocks=12) == (verdict, None)


def test_five_blocks_are_too_few_and_six_are_enough() -> None:
    clear = Estimate(0.5, 0.5, 0.5)
    assert decide(clear, margin=0.03, blocks=5) == ("undecided", "needs more blocks (5 of at least 6)")
    assert decide(clear, margin=0.03, blocks=6) == ("faster", None)


def test_a_difference_within_its_own_margin_is_the_same_whatever_the_ratio() -> None:
    slower = Estimate(1.3, 1.2, 1.4)
    small, large = Estimate(0.003, 0.002, 0.004), Estimate(0.003, 0.002, 0.011)
    for difference, verdict in ((small, "same"), (large, "slower")):
        found = decide(slower, margin=0.03, blocks=12, difference=difference, margin_of_difference=0.01)
        assert found == (verdict, None)
    assert decide(slower, margin=0.03, blocks=12, difference=small) == ("slower", None)
    early = decide(slower, margin=0.03, blocks=5, difference=small, margin_of_difference=0.01)
    assert early[0] == "undecided"


def test_a_quantile_takes_more_blocks_than_a_median() -> None:
    clear = Estimate(0.5, 0.5, 0.5)
    assert decide(clear, margin=0.03, blocks=99, least=LEAST_BLOCKS["p90"]) == (
        "undecided",
        "needs more blocks (99 of at least 100)",
    )
    assert decide(clear, margin=0.03, blocks=100, least=LEAST_BLOCKS["p90"]) == ("faster", None)


def test_without_a_ratio_nothing_is_decided() -> None:
    assert decide(UNDEFINED, margin=0.03, blocks=12) == ("undecided", "the ratio is not defined")
