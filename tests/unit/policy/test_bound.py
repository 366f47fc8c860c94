"""The bound is held against each congestion control by itself."""

import pytest

from pronghorn.policy import bound
from pronghorn.policy.outcome import ALWAYS, LEARNED, RULES, Estimate, Report, Segment


def a_report(
    ours: float, h2: float, h3: float, *, requests: float = 100.0, half: float = 0.01, informed: float = 0.0
) -> Report:
    values = dict.fromkeys(RULES, informed) | {LEARNED: ours, "always-h2": h2, "always-h3": h3}
    whole = {
        "by": "all",
        "name": "all",
        "keys": 10,
        "requests": requests,
        "rules": {
            rule: {
                "regret": {"value": value, "low": value - half, "high": value + half},
                "h3": 0.0,
                "failed": 0,
            }
            for rule, value in values.items()
        },
        "minus": {
            rule: {"value": ours - values[rule], "low": ours - values[rule] - half, "high": 1.0}
            for rule in ALWAYS
        },
    }
    return Report(
        clients=10,
        keys=10,
        requests=int(requests),
        segments=(Segment.model_validate(whole),),
        pinned={},
        holdout={"told": None, "truth": None, "groups": (0, 0, 0)},  # type: ignore[arg-type]
        table={"capacity": 1, "keys": 1, "evicted": 0},  # type: ignore[arg-type]
    )


def test_whoever_knows_the_control_has_less_to_regret_than_any_rule_for_all_of_them() -> None:
    reports = {"cubic": a_report(0.03, 0.12, 0.01), "bbr": a_report(0.03, 0.01, 0.12)}
    judgements = bound.of_reports(reports)

    assert [one.fixed for one in judgements] == ["always-h3", "always-h2"]
    whole = bound.summary(judgements)
    assert whole["always-h2"].value == whole["always-h3"].value == pytest.approx(0.065)
    assert whole[bound.BEST_FIXED].value == pytest.approx(0.01)
    assert whole[LEARNED].value < whole["always-h2"].value / 2
    assert not bound.hold(judgements)


@pytest.mark.parametrize(
    ("ours", "h2", "share", "holds"),
    [(0.03, 0.10, 0.3, True), (0.04, 0.10, 0.4, False), (0.015, 0.01, None, True), (0.03, 0.01, None, False)],
)
def test_a_control_s_bound_is_a_third_of_its_best_fixed_rule_or_no_worse_where_that_is_small(
    ours: float, h2: float, share: float | None, holds: bool
) -> None:
    judged = bound.judge("cubic", a_report(ours, h2, 0.5))

    assert judged.holds is holds
    assert judged.share == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    ("ours", "h3", "holds"),
    [(0.115, 0.15, True), (0.14, 0.15, False), (0.105, 0.11, True), (0.13, 0.11, False)],
)
def test_what_nobody_can_spare_is_left_out_of_the_bound_on_what_is_beyond(
    ours: float, h3: float, holds: bool
) -> None:
    judged = bound.judge("cubic", a_report(ours, 0.5, h3, informed=0.1))

    assert not judged.holds
    assert judged.holds_beyond is holds


def test_the_summary_weighs_controls_by_their_requests_and_its_interval_is_the_widest() -> None:
    reports = {"cubic": a_report(0.02, 0.1, 0.1), "bbr": a_report(0.06, 0.1, 0.1, requests=300.0, half=0.03)}

    ours = bound.summary(bound.of_reports(reports))[LEARNED]
    assert ours.value == pytest.approx(0.05)
    assert ours.low == pytest.approx(0.025)
    assert ours.high == pytest.approx(0.075)


def test_where_one_control_has_no_interval_the_summary_has_none() -> None:
    report = a_report(0.02, 0.1, 0.1)
    lonely = Estimate(value=0.02, low=None, high=None)
    whole = report.segments[0]
    outcome = whole.rules[LEARNED].model_copy(update={"regret": lonely})
    alone = report.model_copy(
        update={"segments": (whole.model_copy(update={"rules": whole.rules | {LEARNED: outcome}}),)}
    )

    found = bound.summary(bound.of_reports({"cubic": report, "bbr": alone}))
    assert found[LEARNED].low is None
    assert found["informed"].low is not None


def test_what_is_written_names_the_rule_that_is_best_and_the_share_of_it() -> None:
    document = bound.document(bound.of_reports({"cubic": a_report(0.03, 0.12, 0.5)}))

    (judged,) = document["judgements"]
    assert (judged["tcp"], judged["best_fixed"], judged["holds"]) == ("cubic", "always-h2", True)
    assert judged["share_of_best_fixed"] == pytest.approx(0.25)
    assert set(document["summary"]) == {*RULES, bound.BEST_FIXED}
