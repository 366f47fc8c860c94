"""What a replication says is what was found: no reason that overshoots, no figure without its failures."""

import io

import pytest

from pronghorn.replicate import result, terminal, words
from pronghorn.replicate.result import Cause, ClaimFound, ReadingFound, StudyFound, Value
from pronghorn.terminal import Terminal


def part_of(ours: Value, *causes: Cause) -> result.Tested:
    return result.Tested(
        what="h3 ÷ h2 on near",
        case="near",
        kind="ratio",
        metric="load",
        statistic="median",
        theirs=(0.75, 0.75),
        theirs_hold=True,
        least=0.65,
        most=0.87,
        ours=ours,
        state="not reproduced",
        causes=list(causes),
    )


def cause(ours: float) -> Cause:
    return Cause(
        factor="more loss",
        ours=Value(value=ours, ci95=(0.99 * ours, 1.01 * ours), blocks=20),
        change=ours,
        change_ci95=(0.98 * ours, 1.02 * ours),
        direction="towards",
        state="not reproduced",
    )


def shown(*readings: ReadingFound) -> str:
    claim = ClaimFound(claim="h3 is faster.", state="undecided", words="depends", readings=list(readings))
    found = StudyFound(study="x", title="X", size="full", runs=[], claims=[claim], effects=[])
    stream = io.StringIO()
    terminal.render([found], Terminal(file=stream, width=300))
    return stream.getvalue()


def test_a_factor_that_leads_past_theirs_is_not_said_to_lead_there() -> None:
    ours = Value(value=1.0, ci95=(0.99, 1.01), blocks=20)
    [short] = words.reasons(part_of(ours, cause(0.9)))
    [far] = words.reasons(part_of(ours, cause(0.2)))
    [near] = words.reasons(part_of(ours, cause(0.7).model_copy(update={"state": "undecided"})))
    assert short.endswith("towards theirs, still outside the bounds.")
    assert far.endswith("past theirs, outside the bounds on the other side.")
    assert near.endswith("past theirs, possibly within the bounds.")


def test_a_factor_leads_to_the_bounds_where_nothing_was_published() -> None:
    ours = Value(value=1.0, ci95=(0.99, 1.01), blocks=20)
    [said] = words.reasons(part_of(ours, cause(0.9)).model_copy(update={"theirs": None}))
    assert said.endswith("towards the bounds, still outside the bounds.")


@pytest.mark.parametrize(
    ("apart", "said"), [("one run", ""), ("runs", ", in another run"), ("hosts", ", on another host")]
)
def test_a_factor_of_another_run_or_host_says_so(apart: result.Apart, said: str) -> None:
    ours = Value(value=1.0, ci95=(0.99, 1.01), blocks=20)
    [reason] = words.reasons(part_of(ours, cause(0.9).model_copy(update={"apart": apart})))
    assert f"times as much{said}, towards" in reason


def test_a_change_that_left_no_value_is_no_number_of_times_as_much() -> None:
    none = Value(value=None, blocks=6, reason="loads failed, so there is no mean")
    change = cause(0.9).model_copy(
        update={
            "ours": none,
            "change": None,
            "change_ci95": (None, None),
            "direction": "not told",
            "apart": "runs",
        }
    )
    [said] = words.measured_as_well(part_of(Value(value=1.0, ci95=(0.99, 1.01), blocks=20), change))
    told = "with more loss: loads failed, so there is no mean, in another run, which tells nothing."
    assert said == f"Also measured: {told}"


def test_where_a_premise_fails_nothing_asks_for_a_reason() -> None:
    part = part_of(Value(value=1.0, ci95=(0.99, 1.01), blocks=20))
    premise = part.model_copy(update={"premise": True})
    reading = ReadingFound(setting="one", state="undecided", parts=[premise, part])
    assert reading.unreproduced == []
    held = premise.model_copy(update={"state": "reproduced"})
    assert reading.model_copy(update={"parts": [held, part]}).unreproduced == [part]


def test_an_effect_says_of_which_times_it_is_made_and_that_none_holds_theirs() -> None:
    ours = Value(value=0.8, ci95=(0.7, 0.9), blocks=20)
    at = [
        result.InSetting(setting="up", ours=ours, terms=[2.7, 3.3], agrees=False),
        result.InSetting(setting="down", ours=ours, terms=[5.0, None], agrees=False),
    ]
    effect = result.Effect(
        what="h3 ÷ h2", case="poor", kind="ratio", metric="load", statistic="mean", theirs=0.52,
        terms=[6.69, 12.9], settings=at, nearest="up",
    )  # fmt: skip
    [said] = words.sensitivity([effect])
    assert "theirs 0.52 (6.69 s ÷ 12.9 s). up: 0.80" in said
    assert "(2.70 s ÷ 3.30 s)" in said
    assert said.endswith("No interval holds their value. Nearest: up.")


def test_settings_without_an_interval_are_not_passed_over_in_silence() -> None:
    ours = Value(value=0.8, ci95=(0.7, 0.9), blocks=100)
    few = Value(value=0.3, blocks=20, reason="needs more blocks (20 of at least 100)")
    known = result.InSetting(setting="up", ours=ours, agrees=False)
    unknown = result.InSetting(setting="down", ours=few, agrees=None)
    effect = result.Effect(
        what="h3 ÷ h2", case="poor", kind="ratio", metric="load", statistic="p90", theirs=0.34,
        settings=[known, unknown],
    )  # fmt: skip
    [said] = words.sensitivity([effect])
    assert said.endswith("No interval holds their value. Only up has an interval.")
    [said] = words.sensitivity([effect.model_copy(update={"settings": [unknown, unknown]})])
    assert said.endswith("No setting has an interval.")


def test_an_end_that_rounding_makes_the_bound_is_told_with_more_digits() -> None:
    part = part_of(Value(value=0.7, ci95=(0.55, 0.6462), blocks=10))
    assert words.decider(part) == "the end that decides is 0.6462"
    assert words.decider(part.model_copy(update={"state": "undecided"})) == ""
    assert words.decider(part.model_copy(update={"least": 0.8})) == ""


def test_arms_whose_loads_were_mostly_contaminated_are_named_beside_their_value() -> None:
    part = part_of(Value(value=0.7, ci95=(0.6, 0.8), blocks=7))
    said = words.spoilt(part.model_copy(update={"spoilt": {"h3 on tiny/loss/nginx/load": (18, 25)}}))
    assert said == "from a selection: 18 of 25 loads of h3 on tiny/loss/nginx/load were contaminated"
    assert words.spoilt(part) == ""


def test_the_row_of_a_claim_is_of_a_part_that_counts() -> None:
    held = part_of(Value(value=0.7, ci95=(0.69, 0.71), blocks=20)).model_copy(update={"state": "reproduced"})
    other = part_of(Value(value=1.0, ci95=(0.99, 1.01), blocks=20)).model_copy(
        update={"what": "not what they found", "theirs_hold": False}
    )
    said = shown(ReadingFound(setting="one", state="reproduced", parts=[other, held]))
    assert "(h3 ÷ h2 on near, and 1 more)" in said
    assert "not what they found: " not in said


def test_what_failed_loads_leave_without_a_value_says_so_in_the_terminal_too() -> None:
    none = Value(value=None, blocks=6, failed={"h3 on near": 6})
    assert words.ours(none, "ratio", "load") == "not finite, because loads failed"
    said = shown(ReadingFound(setting="one", state="not reproduced", parts=[part_of(none)]))
    assert "not finite, because loads failed; failed: 6 loads of h3 on near" in said


def test_a_claim_that_its_settings_leave_undecided_says_so_beside_a_figure_that_decides() -> None:
    part = part_of(Value(value=1.0, ci95=(0.99, 1.01), blocks=20))
    other = part.model_copy(update={"state": "reproduced"})
    said = shown(
        ReadingFound(setting="one", state="not reproduced", parts=[part]),
        ReadingFound(setting="two", state="reproduced", parts=[other]),
    )
    assert said.rstrip().endswith("undecided (depends; here with one)")
