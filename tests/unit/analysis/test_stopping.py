"""When a cell's sampling may stop, and what is said of it."""

import math
from typing import Any

import pytest

from pronghorn.analysis.bootstrap import Estimate
from pronghorn.analysis.sequential import Boundary
from pronghorn.analysis.stopping import reason
from pronghorn.model.explanation import Explanation
from pronghorn.model.sampling import Sampling
from pronghorn.model.summary import CellSummary, Comparison, Summary
from pronghorn.model.trial import Trial

from .synthetic import Behaviour, cell, paired, run, summarised, trial

LTE = cell("lte")
DECIDED = Sampling(least=12, most=60)
PRECISE = Sampling(least=12, most=60, until="ci95 < 2%")
LOOKS = Boundary.between(12, 60).looks


def summary(trials: list[Trial], sampling: Sampling | None = DECIDED, **changes: Any) -> Summary:
    settings: dict[str, Any] = {"name": "x", "arms": ("h2", "h3"), "baseline": "h2", "seed": 1}
    return summarised(trials, limit_s=180.0, sampling=sampling, **(settings | changes))


def of(blocks: int, ratio: float, spread: float = 0.05) -> list[Trial]:
    return run({LTE: {"h2": Behaviour(1.0, spread), "h3": Behaviour(ratio, spread)}}, blocks=blocks)


def load(found: CellSummary) -> Comparison:
    comparison = found.comparison("h3")
    assert comparison is not None
    return comparison


def test_every_arm_has_to_be_decided() -> None:
    narrow = Estimate(0.8, 0.79, 0.81)
    assert reason(DECIDED, [("faster", narrow), ("same", narrow)]) == "decided"
    assert reason(DECIDED, [("faster", narrow), ("undecided", narrow)]) is None


def test_every_interval_has_to_be_as_narrow_as_asked_whatever_its_verdict() -> None:
    narrow, wide = Estimate(0.8, 0.785, 0.815), Estimate(0.8, 0.78, 0.83)
    assert reason(PRECISE, [("undecided", narrow)]) == "precise"
    assert reason(PRECISE, [("faster", narrow), ("faster", wide)]) is None
    assert reason(PRECISE, [("slower", Estimate(math.inf, math.inf, math.inf))]) is None
    assert reason(PRECISE, [("undecided", Estimate(math.nan, 0.0, math.inf))]) is None


def test_a_cell_that_stopped_early_says_what_it_saved() -> None:
    found = summary(of(12, 0.6))
    (only,) = found.cells
    assert only.stopping is not None
    assert only.stopping.model_dump(exclude={"look_confidence"}) == {
        "rule": "decided",
        "reason": "decided",
        "blocks": 12,
        "saved": 48,
    }
    assert only.notes[0] == (
        "Sampling stopped after 12 of at most 60 blocks, when every verdict was decided. It saved 48 "
        "blocks (80 %). The intervals are valid at whichever look sampling stops."
    )
    assert found.notes[0] == (
        "Sampled until decided: 1 of 1 cell stopped early, which saved 48 of 60 blocks (80 %)."
    )


def test_the_interval_and_the_verdict_are_the_looks_own() -> None:
    trials = of(12, 0.93)
    fixed, sequential = (load(summary(trials, how).cells[0]) for how in (None, DECIDED))
    assert fixed.ratio == sequential.ratio
    ends = [end or math.nan for end in (sequential.ci95[0], *fixed.ci95, sequential.ci95[1])]
    assert ends[0] < ends[1] < ends[2] < ends[3]
    assert "95 % sequential interval" in sequential.words
    assert "sequential" not in fixed.words


def test_the_rank_tests_p_is_multiplied_by_the_looks() -> None:
    trials = of(12, 0.93)
    fixed, sequential = (load(summary(trials, how).cells[0]) for how in (None, DECIDED))
    assert fixed.p_value is not None
    assert sequential.p_value == pytest.approx(len(LOOKS) * fixed.p_value)
    assert load(summary(of(12, 1.0)).cells[0]).p_value == 1.0


def test_an_explanation_has_the_looks_intervals_too() -> None:
    asked = Explanation(name="all", metric="load", chain=("h2", "h3"), steps=("h3",))
    trials = of(12, 0.6)
    (found,) = summary(trials, explanations=[asked]).explanations
    assert found.reason is None
    assert found.total.ci95 == load(summary(trials).cells[0]).ci95
    (early,) = summary(of(13, 0.6), explanations=[asked]).explanations
    assert early.reason == f"between two looks; the next comes after {LOOKS[1]} blocks"
    for change in (early.total, *early.steps):
        assert change.ratio is not None
        assert (change.ci95, change.ci95_s) == ((0.0, None), (None, None))
    assert "95 % interval 0 to ∞" in early.words


def test_at_the_most_blocks_it_says_that_the_answer_is_not_known() -> None:
    (only,) = summary(of(60, 0.97, 0.3)).cells
    assert load(only).verdict == "undecided"
    assert only.stopping is not None
    assert (only.stopping.reason, only.stopping.saved) == ("max", 0)
    assert only.notes[0].startswith("Sampling reached its maximum of 60 blocks before every verdict was")


def test_a_verdict_with_the_last_block_saves_none() -> None:
    (only,) = summary(of(60, 0.5)).cells
    assert only.notes[0].startswith(
        "The rule was met only at the last of 60 blocks (every verdict was decided), so no block was saved"
    )


def test_a_precise_cell_says_by_which_rule_it_stopped() -> None:
    (only,) = summary(of(LOOKS[-2], 1.0, 0.01), PRECISE).cells
    assert only.stopping is not None
    assert (only.stopping.rule, only.stopping.reason) == ("ci95 < 2%", "precise")
    assert "when every interval had ci95 < 2%" in only.notes[0]


def timed(blocks: int, within: str, h3_s: float | None = 1.0) -> CellSummary:
    """A cell that can't be decided, whose blocks last 2 s and one 4 s, if h3 loads at all."""
    h2 = [3.0 if block == 3 else 1.0 for block in range(blocks)]
    h3 = [None if h3_s is None else h3_s * (0.8, 1.2)[block % 2] for block in range(blocks)]
    sampling = Sampling(least=12, most=60, within=within)
    (only,) = summary(paired(LTE, {"h2": h2, "h3": h3}), sampling).cells
    return only


@pytest.mark.parametrize(
    ("blocks", "within", "reason"),
    [
        (12, "8.3s", "time"),
        (12, "8.5s", None),
        (15, "10.5s", "time"),
        (15, "10.7s", None),
        (60, "1s", "max"),
    ],
)
def test_a_cell_gets_no_look_that_can_t_be_expected_within_its_time(
    blocks: int, within: str, reason: str | None
) -> None:
    """The longest block lasts 4.2 s, the longest of the second round 2.2 s, and the next counts as 4.2 s."""
    found = timed(blocks, within)
    assert (found.stopping.reason if found.stopping is not None else None) == reason
    if reason == "time":
        assert found.notes[0].startswith(f"Sampling stopped after {blocks} of at most 60 blocks before every")
        assert load(found).ci95 != (None, None)


def test_a_failed_load_has_lasted_as_long_as_it_may() -> None:
    assert timed(12, "365s", None).stopping is not None
    found = timed(12, "367s", None).stopping
    assert found is None or found.reason == "decided"


def test_blocks_that_were_rejected_take_time_as_well() -> None:
    """Each of three attempts at all blocks took 2 s, and another round would begin with as much."""
    trials = [
        trial(LTE, arm, block, 1.0, attempt=attempt, status="contaminated", reason="starved")
        for block in range(12)
        for attempt in range(3)
        for arm in ("h2", "h3")
    ]
    for within, why in (("7.9s", "time"), ("8.1s", None)):
        sampling = Sampling(least=12, most=60, within=within)
        (only,) = summary(trials, sampling).cells
        assert (only.blocks, only.abandoned) == (0, 12)
        assert (only.stopping.reason if only.stopping is not None else None) == why


def test_a_known_answer_is_one_however_late_it_is() -> None:
    narrow = Estimate(0.8, 0.79, 0.81)
    assert reason(DECIDED, [("faster", narrow)], late=True) == "decided"
    assert reason(DECIDED, [("undecided", narrow)], late=True) == "time"
    assert reason(PRECISE, [("undecided", narrow)], late=True) == "precise"


@pytest.mark.parametrize("blocks", [0, 5, 13])
def test_between_two_looks_nothing_is_decided(blocks: int) -> None:
    """A run that was cut: an interval at a moment that nobody planned has no level."""
    found = summary(of(blocks, 0.5), cells=[LTE])
    (only,) = found.cells
    following = next(look for look in LOOKS if look > blocks)
    assert load(only).verdict == "undecided"
    assert load(only).reason == f"between two looks; the next comes after {following} blocks"
    assert load(only).ci95 == (0.0, None)
    assert all(arm.of(metric).ci95 == {} for arm in only.arms.values() for metric in ("load", "ttfb"))
    assert only.stopping is None
    assert not any("saved" in note for note in (*found.notes, *only.notes))


def test_a_block_that_was_kept_out_counts_as_taken() -> None:
    kept_out = [
        trial(LTE, arm, 11, None, attempt=attempt, status="contaminated", reason="late")
        for arm in ("h2", "h3")
        for attempt in range(3)
    ]
    (only,) = summary([*of(11, 0.5), *kept_out]).cells
    assert only.stopping is not None
    assert (only.stopping.blocks, only.blocks) == (12, 11)


def test_a_block_that_is_yet_to_be_repeated_is_not_over() -> None:
    spoilt = [trial(LTE, arm, 11, None, status="contaminated", reason="late") for arm in ("h2", "h3")]
    (only,) = summary([*of(11, 0.5), *spoilt]).cells
    assert load(only).reason == "between two looks; the next comes after 12 blocks"
    assert only.stopping is None


def test_an_arm_whose_loads_all_fail_is_decided() -> None:
    times: list[float | None] = [1.0 + place / 1000 for place in range(12)]
    (only,) = summary(paired(LTE, {"h2": times, "h3": [None] * 12})).cells
    assert load(only).verdict == "slower"
    assert only.stopping is not None


def test_two_summaries_of_a_sampled_run_are_equal() -> None:
    trials = of(12, 0.8)
    assert summary(trials) == summary(trials[::-1])
