"""What was not measured, or not as far as anything follows from it, passes no check."""

import pytest

from pronghorn.checks import cases
from pronghorn.checks.intervals import Measured, Pair
from pronghorn.checks.known import UNBOUNDED
from pronghorn.checks.result import Result, lines
from pronghorn.model.sampling import Sampling

from .runs import Loads, around, finding, measured

H3_H1 = Pair("h3", "h1", "load", "median")
DECIDED = Sampling(least=12, most=60)


def lte(blocks: int) -> dict[str, Loads]:
    """h3 is faster than h2, h1 is open."""
    return {
        "lte": {
            "h1": around(1.02, 0.2, blocks),
            "h2": around(1.0, 0.02, blocks),
            "h3": around(0.8, 0.02, blocks),
        }
    }


def width(run: Measured, pair: Pair) -> float:
    found = run.interval(run.summary.cells[0], pair)
    assert found is not None
    low, high = found
    return high - low


@pytest.fixture(scope="module")
def cut() -> Measured:
    """A run that was cut a block after its first look."""
    return measured(lte(13), DECIDED)


def test_at_a_look_that_does_not_stop_two_other_arms_have_its_interval() -> None:
    fixed, at_a_look = measured(lte(12)), measured(lte(12), DECIDED)
    assert at_a_look.summary.cells[0].stopping is None
    assert width(at_a_look, H3_H1) > width(fixed, H3_H1)


@pytest.mark.parametrize("under", ["h1", "h2"])
def test_between_two_looks_no_ratio_has_a_bound(cut: Measured, under: str) -> None:
    assert cut.interval(cut.summary.cells[0], H3_H1._replace(under=under)) == UNBOUNDED
    plain = finding(f"h3/{under} < 1 on lte", cut)
    assert (plain.holds, plain.doubtful) == (True, True)
    assert not finding(f"surely h3/{under} < 1 on lte", cut).holds


def test_between_two_looks_an_arms_own_figure_is_not_known_surely(cut: Measured) -> None:
    assert finding("h3 load median < 2s on lte", cut).holds
    surely = finding("surely h3 load median < 2s on lte", cut)
    assert not surely.holds
    assert "this is not certain: it has no interval" in surely.found


@pytest.mark.parametrize(
    ("loads", "reason"),
    [
        (lte(5), "needs more blocks (5 of at least 6)"),
        ({"lte": {"h1": [], "h2": [], "h3": []}}, "needs more blocks (0 of at least 6)"),
        ({"lte": {arm: [None] * 12 for arm in ("h1", "h2", "h3")}}, "trials failed"),
    ],
)
def test_an_arm_of_which_nothing_is_known_is_not_not_slower(loads: dict[str, Loads], reason: str) -> None:
    run = measured(loads)
    for text in ("h3 is not slower on lte", "h3 is not faster on lte", "surely h3 is not slower on lte"):
        found = finding(text, run)
        assert (found.holds, found.doubtful) == (False, False)
        assert found.found.endswith(f" is unknown: {reason}")
    assert finding("h3 is undecided on lte", run).holds


def test_between_two_looks_an_arm_is_not_not_slower(cut: Measured) -> None:
    found = finding("h3 is not slower on lte", cut)
    assert not found.holds
    assert "whether it is slower is unknown: between two looks" in found.found


def test_no_failures_of_no_trials_is_no_success() -> None:
    run = measured({"lte": {"h1": [], "h2": [], "h3": []}})
    assert finding("h3 failed == 0 on lte", run) == ("lte", False, "h3 failed is not known", False)
    assert finding("h3 n == 0 on lte", run).holds


def test_a_check_of_no_cell_fails_wherever_it_is_told() -> None:
    nowhere = Result("h3/h2 < 1.05", ())
    assert not nowhere.holds
    assert list(lines([nowhere])) == ["check failed: h3/h2 < 1.05 (no cell matches it)"]
    (case,) = cases.of_checks([nowhere])
    assert (case.name, case.outcome) == ("h3/h2 < 1.05", "failed")
