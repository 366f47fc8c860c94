"""Claims by general rules: bounds from published figures, values with intervals, and what changes them."""

import math

import numpy as np
import pytest

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.claims.bounds import Bounds, by, state
from pronghorn.analysis.claims.sampled import Found, Locate, Located, Sampler
from pronghorn.model.expression import parse
from pronghorn.replicate.causes import changed

from ..analysis.synthetic import cell, paired, trial

RESAMPLES = 500


def measured(path: str = "near", **times: list[float | None]) -> CellTrials:
    [found] = select(paired(cell(path), times), list(times)).values()
    return found


def _in(trials: CellTrials) -> Locate:
    return lambda term: Located(trials, term.arm)


def sampler() -> Sampler:
    return Sampler(1, RESAMPLES)


@pytest.mark.parametrize(
    ("rule", "theirs", "kind", "bounds"),
    [
        ("same side", 0.8, "ratio", Bounds(most=1.0)),
        ("same side", 1.2, "ratio", Bounds(least=1.0)),
        ("same side", -0.3, "difference", Bounds(most=0.0)),
        ("slightly", 1.01, "ratio", Bounds(1.0, 1.1)),
        ("about", 0.25, "ratio", Bounds(0.125, 0.5)),
        ("about", -2.0, "difference", Bounds(-3.0, -1.0)),
    ],
)
def test_a_published_figure_becomes_bounds(rule: str, theirs: float, kind: str, bounds: Bounds) -> None:
    found = by(rule, (theirs, theirs), kind)  # type: ignore[arg-type]
    assert found == pytest.approx(bounds)


def test_a_published_range_is_widened_at_both_ends() -> None:
    assert by("about", (1.1, 1.2), "ratio") == pytest.approx((1.1**0.5, 1.2**1.5))
    assert by("about", (0.8, 0.9), "ratio") == pytest.approx((0.8**1.5, 0.9**0.5))


def test_a_figure_without_a_side_is_no_rules_ground() -> None:
    with pytest.raises(ValueError, match="neither side"):
        by("same side", (0.9, 1.1), "ratio")


@pytest.mark.parametrize(
    ("low", "high", "reached"),
    [(0.5, 0.9, "reproduced"), (0.9, 1.1, "undecided"), (1.01, 1.2, "not reproduced")],
)
def test_a_verdict_is_where_the_interval_lies(low: float, high: float, reached: str) -> None:
    assert state(Found((low + high) / 2, low, high, 12, {}), Bounds(most=1.0)) == (reached, None)


def test_equal_arms_scaled_give_their_exact_ratio_and_difference() -> None:
    """Every resample's medians have the ratio that every block has."""
    times: list[float | None] = [1.0, 1.3, 0.9, 1.1, 2.0, 1.7, 1.2]
    found = measured(h2=times, h3=[0.5 * (one or 0) for one in times])

    ratio = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "median")
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((0.5, 0.5, 0.5))
    spread = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "iqr")
    assert spread.value == pytest.approx(0.5)
    assert spread.objection == "needs more blocks (7 of at least 20)"
    mean = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "mean")
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.5, 0.5, 0.5))
    saved = sampler().evaluate(parse("h2 - h3"), _in(found), "load", "median")
    assert saved.value == pytest.approx(0.6)
    assert saved.low <= 0.6 <= saved.high


def test_the_interval_of_a_ratio_of_interquartile_ranges_holds_the_truth() -> None:
    """200 experiments of equal arms, log-normal with σ 0.5: were only 95 % of the intervals right, fewer than
    179 would be once in 1000 times."""
    rng = np.random.default_rng(3)
    right = 0
    for _ in range(200):
        both = np.exp(0.5 * rng.standard_normal((2, 20)))
        trials = measured(h2=list(both[0]), h3=list(both[1]))
        found = Sampler(1, 300).evaluate(parse("h3 / h2"), _in(trials), "load", "iqr")
        right += found.low <= 1 <= found.high
    assert right >= 179


def test_a_failed_load_leaves_a_median_and_no_mean() -> None:
    found = measured(h2=[1.0] * 6 + [None], h3=[0.5] * 7)

    mean = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "mean")
    assert mean.objection == "loads failed, so there is no mean"
    assert mean.failed == {"h2 on near": 1}
    median = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "median")
    assert (median.value, median.objection) == (0.5, None)


@pytest.mark.parametrize(("number", "decides"), [(1, True), (2, False)])
def test_loads_that_failed_for_a_program_decide_nothing(number: int, decides: bool) -> None:
    """More than one of twenty: an origin that keeps falling over says nothing of a protocol."""
    where = cell("near")
    trials = [
        trial(where, arm, block, 1.0)
        if arm == "h3" or block >= number
        else trial(where, arm, block, None, status="failed", reason="origin")
        for arm in ("h2", "h3")
        for block in range(20)
    ]
    [found] = select(trials, ["h2", "h3"]).values()
    told = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "median")
    assert told.value == 1.0
    assert told.objection == (None if decides else "in 2 of 20 loads of h2 a program failed")


def test_means_of_several_cells_are_not_compared() -> None:
    cells = {path: measured(path, h2=[1.0] * 6, h3=[0.5] * 6) for path in ("near", "far")}
    with pytest.raises(ValueError, match="one cell"):
        sampler().evaluate(
            parse("h3[near] / h3[far]"), lambda term: Located(cells[term.case], term.arm), "load", "mean"
        )


def test_cells_of_the_same_name_are_drawn_by_themselves() -> None:
    """Of two runs' equal cells the ratio is 1, with an interval: what is drawn of one says nothing of the
    other."""
    runs = {name: measured(h3=[1.0, 1.3, 0.9, 1.1, 2.0, 1.7, 1.2]) for name in ("one", "other")}
    found = sampler().evaluate(
        parse("h3[one] / h3[other]"), lambda term: Located(runs[term.case], term.arm), "load", "median"
    )
    assert found.value == 1.0
    assert found.low < 0.95 and found.high > 1.05


def test_what_was_not_measured_decides_nothing() -> None:
    assert sampler().evaluate(parse("h3 / h2"), lambda _: None, "load", "median").objection == "not measured"


def test_blocks_that_were_all_kept_out_are_not_taken_for_unmeasured() -> None:
    spoilt = [trial(cell("near"), arm, 0, 1.0, status="contaminated") for arm in ("h2", "h3")]
    [found] = select(spoilt, ["h2", "h3"]).values()
    told = sampler().evaluate(parse("h3 / h2"), _in(found), "load", "median")
    assert (told.blocks, told.objection) == (0, "no trusted block")


def test_a_change_has_the_interval_that_both_values_give_it() -> None:
    """Of equal widths w it is √2 w wide (Zou & Donner 2008)."""
    before, after = Found(1.0, 0.5, 2.0, 12, {}), Found(4.0, 2.0, 8.0, 12, {})
    ratio = changed(before, after, "ratio")
    reach = 2 ** math.sqrt(2)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((4.0, 4.0 / reach, 4.0 * reach))
    difference = changed(Found(1.0, 0.0, 2.0, 12, {}), Found(3.0, 2.0, 4.0, 12, {}), "difference")
    assert (difference.low, difference.high) == pytest.approx((2 - math.sqrt(2), 2 + math.sqrt(2)))
