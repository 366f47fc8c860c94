"""Exact tests of counts."""

from scipy.stats import binomtest

FALSE_ALARM = 1e-6
"""The chance that a count which is as asked fails its test."""


def assert_as_asked(what: str, count: int, of: int, probability: float) -> None:
    """Fails where `count` of `of` would be too great a surprise under `probability`."""
    p = binomtest(count, of, probability).pvalue
    assert p > FALSE_ALARM, f"{what}: {count} of {of} where {probability:.1%} was asked (p = {p:.1e})"
