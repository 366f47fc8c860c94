"""What a check says, where it holds, and the evidence with which it fails."""

import pytest

from pronghorn.checks import of_run
from pronghorn.checks.intervals import Measured
from pronghorn.checks.of_run import Comparison, Term
from pronghorn.errors import InputError

from .runs import around, check, experiment, finding, measured


@pytest.fixture(scope="module")
def run() -> Measured:
    """On `lte` h3 takes four fifths of h2's time and h1 hardly more than it; on `lte-poor` a h3 failed."""
    return measured(
        {
            "lte": {"h1": around(1.02, 0.2), "h2": around(1.0, 0.02), "h3": around(0.8, 0.02)},
            "lte-poor": {"h1": around(2.0, 0.1), "h2": around(2.0, 0.1), "h3": [*around(2.0, 0.1, 11), None]},
        }
    )


@pytest.mark.parametrize(
    ("spoken", "short"),
    [
        ("h3/h2 load median < 1.05 on lte", "lte: h3/h2 < 1.05"),
        ("h3 / h2 < 1.05 on *", "h3/h2<1.05"),
        ("h3 load p90 <= 800ms on lte", "lte:h3.p90 <= 0.8s"),
        ("h3 failed == 0 on small/lte/*", "small/lte/*: h3.failed == 0"),
        ("h3/h2 requests_per_second median > 1", "h3.requests_per_second/h2.requests_per_second > 1"),
        ("h3 is faster on lte-*", "lte-*: h3 is faster"),
        ("surely h3 is not slower on lte", "lte: surely h3 is not slower"),
    ],
)
def test_the_spoken_and_the_short_form_say_the_same(spoken: str, short: str) -> None:
    one, other = (of_run.parse(text, experiment()) for text in (spoken, short))
    assert one.cells == other.cells
    assert one.said.surely == other.said.surely
    assert _meant(one) == _meant(other)


def _meant(check: of_run.Check) -> object:
    if not isinstance(check.claim, Comparison):
        return check.claim
    sides = (side._replace(text="") for side in (check.claim.left, check.claim.right))
    return check.claim.operator, *sides


def test_a_statistic_of_the_first_byte_is_asked_for_by_its_name() -> None:
    claim = of_run.parse("h3/h2 ttfb p75 < 1", experiment()).claim
    assert isinstance(claim, Comparison)
    assert (claim.left.over, claim.left.under) == (Term("h3", "ttfb", "p75"), Term("h2", "ttfb", "p75"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h3/h2 < 1.05 on lt", "unknown path or cell 'lt'; did you mean 'lte'?"),
        ("lan: h3/h2 < 1.05 on lte", "names its cells twice, 'lan' and 'lte'. Leave out one."),
        ("h3/h4 < 1", "unknown arm 'h4'; did you mean 'h"),
        ("h3/h2 load medan < 1", "unknown metric or statistic 'medan'; did you mean 'median'?"),
        ("h3.p98 < 1", "unknown statistic 'p98'; did you mean 'p9"),
        ("h3.p90/h2.p90 load median < 1", "the statistic of 'h3' is given twice. Leave out '.p90'."),
        ("h3 is quicker", "unknown verdict 'quicker'"),
        ("h2 is faster", "'h2' is the baseline, which has no verdict."),
        ("h3 median", "this is no comparison. Write VALUE < VALUE"),
        ("h3/h2 < 2s", "'h3/h2' is not a time. Compare it with a number without a unit."),
        ("/ < 1", "'/' is not a number, an arm or a ratio of two arms."),
    ],
)
def test_what_says_no_check_is_refused_with_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        of_run.parse(text, experiment())
    assert refused.value.message.startswith(f"--check {text!r}: ")
    assert said in refused.value.message


def test_the_evidence_of_a_ratio_is_both_figures_its_interval_and_the_blocks(run: Measured) -> None:
    found = finding("h3/h2 load median < 0.5 on lte", run)
    assert not found.holds
    assert found.found.startswith(
        "h3/h2 load median = 0.800 (load median 800 ms against 1.00 s, 95 % interval 0.7"
    )
    assert found.found.endswith("; 12 blocks")


def test_the_interval_is_the_one_on_which_the_verdict_rests(run: Measured) -> None:
    compared = run.summary.cells[0].comparison("h3")
    assert compared is not None
    low, high = compared.ci95
    assert low is not None
    assert high is not None
    assert f"95 % interval {low:.3f} to {high:.3f}" in finding("h3/h2 < 0 on lte", run).found
    assert f"95 % interval {1 / high:.3f} to {1 / low:.3f}" in finding("h2/h3 < 0 on lte", run).found


def test_a_bound_within_the_interval_holds_by_the_estimate_and_not_surely(run: Measured) -> None:
    compared = run.summary.cells[0].comparison("h1")
    assert compared is not None
    assert compared.ratio is not None
    assert compared.ci95[1] is not None
    bound = (compared.ratio + compared.ci95[1]) / 2
    found = finding(f"h1/h2 < {bound:.4f} on lte", run)
    assert found.holds
    assert found.doubtful
    assert found.found.endswith(f"this is the estimate; the interval reaches {compared.ci95[1]:.3g}")
    assert not finding(f"surely h1/h2 < {bound:.4f} on lte", run).holds
    assert finding("surely h1/h2 < 1.5 on lte", run) == finding("h1/h2 < 1.5 on lte", run)


def test_a_check_that_fails_by_the_estimate_alone_says_how_far_the_interval_reaches(run: Measured) -> None:
    compared = run.summary.cells[0].comparison("h1")
    assert compared is not None
    found = finding("h1/h2 < 1 on lte", run)
    assert not found.holds
    assert found.found.endswith(f"this is the estimate; the interval reaches {compared.ci95[0]:.3g}")


def test_arms_of_which_none_is_the_baseline_have_an_interval_too(run: Measured) -> None:
    assert finding("surely h3/h1 < 1 on lte", run).holds
    assert not finding("surely h1/h3 < 1.1 on lte", run).holds


def test_an_arms_own_figure_holds_surely_by_its_own_interval(run: Measured) -> None:
    assert finding("surely h3 load median < 0.83s on lte", run).holds
    found = finding("surely h1 load median < 1030ms on lte", run)
    assert not found.holds
    assert "the interval reaches 1." in found.found
    assert found.found.endswith(" s")


def test_what_has_no_interval_is_never_sure(run: Measured) -> None:
    assert finding("h3/h2 p99 < 2 on lte", run).holds
    assert "this is not certain: too few blocks" in finding("surely h3/h2 p99 < 2 on lte", run).found


def test_counts_are_known_surely(run: Measured) -> None:
    assert finding("surely h3 failed == 0 on lte", run).holds
    assert finding("surely h3 failed == 0 on lte-poor", run) == (
        "lte-poor",
        False,
        "h3 failed = 1; 12 blocks; h3 failed in 1 of 12 trials (timeout 1)",
        False,
    )


def test_what_failed_loads_leave_unknown_fails(run: Measured) -> None:
    assert finding("h3 mean < 100 on lte-poor", run).found == (
        "h3 mean is not known; h3 failed in 1 of 12 trials (timeout 1)"
    )


def test_a_check_must_hold_in_all_of_its_cells(run: Measured) -> None:
    result = check("h3/h2 < 0.9", run)
    assert [found.holds for found in result.findings] == [True, False]
    assert not result.holds


def test_an_undecided_arm_is_not_slower_surely_only_where_its_interval_says_so(run: Measured) -> None:
    assert finding("h3 is faster on lte", run).holds
    assert finding("surely h3 is not slower on lte", run).holds
    undecided = finding("h1 is not slower on lte", run)
    assert undecided.holds
    assert undecided.doubtful
    assert not finding("surely h1 is not slower on lte", run).holds
    assert not finding("h3 is not faster on lte", run).holds
