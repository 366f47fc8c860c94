"""How far a comparison of two numbers with intervals is known to hold."""

import math

import pytest

from pronghorn.checks.known import Judgement, Known, ends, exact, inverse, judge

WIDE = Known(1.0, (0.9, 1.2))


@pytest.mark.parametrize(
    ("operator", "bound", "found"),
    [
        ("<", 1.3, Judgement.SURE),
        ("<", 1.2, Judgement.LIKELY),
        ("<=", 1.2, Judgement.SURE),
        ("<", 1.0, Judgement.UNLIKELY),
        ("<=", 1.0, Judgement.LIKELY),
        ("<", 0.9, Judgement.NEVER),
        ("<=", 0.9, Judgement.UNLIKELY),
        (">", 0.8, Judgement.SURE),
        (">", 0.9, Judgement.LIKELY),
        (">=", 0.9, Judgement.SURE),
        (">", 1.1, Judgement.UNLIKELY),
        (">=", 1.3, Judgement.NEVER),
        ("==", 1.0, Judgement.LIKELY),
        ("==", 1.1, Judgement.UNLIKELY),
        ("==", 1.3, Judgement.NEVER),
        ("!=", 1.3, Judgement.SURE),
        ("!=", 1.1, Judgement.LIKELY),
        ("!=", 1.0, Judgement.UNLIKELY),
    ],
)
def test_a_bound_is_sure_where_the_whole_interval_keeps_it(
    operator: str, bound: float, found: Judgement
) -> None:
    assert judge(operator, WIDE, exact(bound)) is found


def test_swapping_the_sides_and_the_operator_changes_nothing() -> None:
    for bound in (0.8, 0.9, 1.0, 1.1, 1.2, 1.3):
        assert judge("<", WIDE, exact(bound)) is judge(">", exact(bound), WIDE)


def test_without_an_interval_there_is_the_estimate_alone_and_without_that_nothing() -> None:
    assert judge("<", Known(1.0), exact(2)) is Judgement.PLAIN
    assert judge("<", Known(1.0), exact(1)) is Judgement.FAILS
    assert judge("<", Known(None), exact(1)) is Judgement.UNKNOWN
    assert [one for one in Judgement if one.holds] == [Judgement.SURE, Judgement.LIKELY, Judgement.PLAIN]


def test_an_end_that_is_not_finite_has_no_bound() -> None:
    assert ends((0.5, None)) == (0.5, math.inf)
    assert ends((None, None)) is None
    assert inverse((0.5, math.inf)) == (0.0, 2.0)
    assert inverse((0.0, 4.0)) == (0.25, math.inf)
    assert inverse(None) is None
