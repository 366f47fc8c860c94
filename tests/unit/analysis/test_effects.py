"""By how much an arm differs, in few words."""

import pytest

from pronghorn.analysis.effects import change, effect
from pronghorn.model.summary import Comparison, Interval, Metric, Verdict

from . import reported
from .synthetic import cell, paired


def made(
    ratio: float | None,
    ci95: Interval,
    verdict: Verdict,
    metric: Metric = "load",
    reason: str | None = None,
) -> Comparison:
    return Comparison(
        metric=metric,
        statistic="median",
        arm="h3",
        baseline="h2",
        ratio=ratio,
        ci95=ci95,
        verdict=verdict,
        reason=reason,
        words="",
    )


def rate(ratio: float, ci95: Interval, verdict: Verdict) -> Comparison:
    return made(ratio, ci95, verdict, "requests_per_second")


@pytest.mark.parametrize(
    ("found", "words", "range_words"),
    [
        (made(0.78, (0.61, 0.90), "faster"), "22 % faster", "10 to 39 %"),
        (made(0.9624, (0.9613, 0.9656), "faster"), "3.8 % faster", "3.4 to 3.9 %"),
        (made(1.2458, (1.2458, 1.2458), "slower"), "24.6 % slower", "within 0.1 %"),
        (made(0.257, (0.209, 0.303), "faster"), "3.9 times as fast", "3.3 to 4.8 times"),
        (made(3.0, (2.5, 12.4), "slower"), "3.0 times as slow", "2.5 to 12 times"),
        (made(12.1, (11.6, 12.4), "slower"), "12 times as slow", "within 1 times"),
        (made(3.0, (2.5, None), "slower"), "3.0 times as slow", "2.5 to ∞"),
        (made(1.2, (1.1, None), "slower"), "20 % slower", "10 to ∞"),
        (made(1.011, (1.008, 1.013), "same"), "as fast as h2", "0.8 to 1.3 % slower"),
        (made(0.99, (0.97, 1.02), "same"), "as fast as h2", "3 % faster to 2 % slower"),
        (made(0.98, (0.77, 1.14), "undecided"), "undecided", "23 % faster to 14 % slower"),
        (made(None, (0.54, None), "undecided"), "undecided", "46 % faster to ∞"),
        (made(0.9, (None, None), "undecided", reason="too few"), "undecided", "too few"),
        (made(None, (None, None), "slower", reason="trials failed"), "slower", "trials failed"),
        (made(0.0, (0.0, 0.8), "faster"), "faster", "20 to 100 % faster"),
        (rate(0.52, (0.515, 0.524), "slower"), "48.0 % fewer requests/s", "47.6 to 48.5 %"),
        (rate(1.5, (1.4, 1.6), "faster"), "50 % more requests/s", "40 to 60 %"),
        (rate(3.1, (3.0, 3.2), "faster"), "3.1 times the requests/s", "3.0 to 3.2 times"),
        (rate(0.3, (0.2, 0.4), "slower"), "0.30 times the requests/s", "0.20 to 0.40 times"),
        (made(0.45, (0.1, 0.96), "faster"), "2.2 times as fast", "1.04 to 10 times"),
        (rate(1.0, (0.9, 1.2), "undecided"), "undecided", "10 % fewer to 20 % more"),
    ],
)  # fmt: skip
def test_an_effect_and_its_interval_have_one_unit(found: Comparison, words: str, range_words: str) -> None:
    assert effect(found) == (words, range_words)


def test_changes_are_signed() -> None:
    ratios = (0.78, 1.25, 1.001, 0.999, 3.1, None)
    said = [change(made(each, (None, None), "undecided")) for each in ratios]
    assert said == ["-22", "+25", "0", "0", "+210", "–"]


def test_what_is_said_agrees_with_the_verdict_s_own_sentence() -> None:
    found = paired(cell("lte"), {"h2": [1.0] * 12, "h3": [0.8] * 12})
    comparison = reported.summary(found).cells[0].comparison("h3")
    assert comparison is not None
    assert "ratio 0.800" in comparison.words
    assert effect(comparison) == ("20.0 % faster", "within 0.1 %")
