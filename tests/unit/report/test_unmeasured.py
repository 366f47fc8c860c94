"""A run that measured nothing says so first, with the reason and what to do."""

import pytest

from pronghorn.model.trial import Cell
from pronghorn.report.html import document
from pronghorn.report.markdown import markdown

from ..analysis.synthetic import cell
from .outcomes import BLOCKS, SHOP, contaminated, loads, shown, steady, summary

NEVER: list[float | None] = [None] * BLOCKS
GONE = "/pixel.gif was answered 404"


def test_where_no_arm_loads_the_first_line_has_the_resource_and_the_mend() -> None:
    trials = [loads(SHOP, arm, NEVER, reason="status", detail=GONE) for arm in ("h2", "h3")]
    found = summary([one for of_arm in trials for one in of_arm])
    assert found.unmeasured is not None
    assert found.unmeasured.text == (
        "Nothing could be measured: h2 and h3 never loaded. 16 of 16 trials failed, all by status: "
        "/pixel.gif was answered 404."
    )
    assert "--set 'tolerate=[\"/pixel.gif\"]'" in found.unmeasured.remedy
    assert found.headline == ["h3: nothing measured."]
    first = f"{found.unmeasured.text} {found.unmeasured.remedy}"
    assert shown(found).splitlines()[0] == first
    assert markdown(found, {}).startswith("> **Nothing could be measured")
    page = document(found, [], {})
    assert page.index("Nothing could be measured") < page.index('id="verdicts"')


def test_where_one_of_two_arms_never_loads_it_can_be_left_out() -> None:
    few = steady(1.0)[:3]
    trials = [*loads(SHOP, "h2", few), *loads(SHOP, "h3", [None] * 3, detail="no answer within 60 s")]
    found = summary(trials)
    assert found.unmeasured is not None
    assert (
        "h3 never loaded. 3 of 3 trials failed, all by timeout: no answer within 60 s"
        in found.unmeasured.text
    )
    assert found.unmeasured.remedy.endswith("or leave h3 out: --set arms=h2.")


def test_two_arms_that_load_are_something_measured() -> None:
    few = steady(1.0)[:3]
    trials = [*loads(SHOP, "h1", few), *loads(SHOP, "h2", few), *loads(SHOP, "h3", [None] * 3)]
    found = summary(trials, ("h1", "h2", "h3"))
    assert found.unmeasured is None


def test_an_arm_that_never_loads_beside_one_that_does_is_a_verdict_with_its_reason() -> None:
    trials = [*loads(SHOP, "h2", steady(1.0)), *loads(SHOP, "h3", NEVER, reason="status", detail=GONE)]
    found = summary(trials)
    (verdict,) = found.cells[0].led()
    assert found.unmeasured is None
    assert verdict.verdict == "slower"
    assert f"h3 failed in 8 of 8 trials (status 8: {GONE}), h2 in none" in verdict.words


def test_the_commonest_detail_of_an_arm_that_fails_at_times_stands_beneath_its_table() -> None:
    times = [None, *steady(1.0)[1:]]
    trials = [*loads(SHOP, "h2", steady(1.0)), *loads(SHOP, "h3", times, reason="status", detail=GONE)]
    said = " ".join(shown(summary(trials)).split())
    assert f"h3: 1 of 8 trials failed, most often by status: {GONE}." in said


def test_blocks_that_were_all_rejected_are_nothing_measured() -> None:
    found = summary([*contaminated(SHOP, "h2"), *contaminated(SHOP, "h3")])
    assert found.unmeasured is not None
    assert found.unmeasured.text.startswith(
        "Nothing could be measured: all 8 blocks were rejected. 48 trials were contaminated, all by starved"
    )
    assert found.unmeasured.remedy.startswith("Measure in virtual time")
    assert "--clock virtual" in found.unmeasured.remedy
    assert "--jobs 1" in found.unmeasured.remedy
    assert shown(found).splitlines()[0] == f"{found.unmeasured.text} {found.unmeasured.remedy}"


@pytest.mark.parametrize(("reason", "where"), [("ring", SHOP), ("starved", cell("direct", site="shop"))])
def test_virtual_time_is_not_named_where_it_is_no_mend(reason: str, where: Cell) -> None:
    found = summary([*contaminated(where, "h2", reason=reason), *contaminated(where, "h3", reason=reason)])
    assert found.unmeasured is not None
    assert "--clock virtual" not in found.unmeasured.remedy
    assert "--jobs 1" in found.unmeasured.remedy


def test_one_cell_with_a_verdict_is_something_measured() -> None:
    lan = cell("lan", site="shop")
    trials = [
        *(one for arm in ("h2", "h3") for one in loads(SHOP, arm, NEVER)),
        *(one for arm in ("h2", "h3") for one in loads(lan, arm, steady(1.0))),
    ]
    assert summary(trials).unmeasured is None


def test_a_single_arm_that_loads_is_something_measured() -> None:
    assert summary(loads(SHOP, "h2", steady(1.0)), ("h2",)).unmeasured is None
    assert summary(loads(SHOP, "h2", NEVER), ("h2",)).unmeasured is not None


@pytest.mark.parametrize("idle", ["h2+warm", "h3+warm"])
def test_a_verdict_over_no_request_is_refused(idle: str) -> None:
    others = {"h2": 20, "h2+warm": 1, "h3+warm": 1} | {idle: 0}
    trials = [
        one
        for arm, number in others.items()
        for one in loads(SHOP, arm, steady(1.0), requests=number, size=number)
    ]
    found = summary(trials, tuple(others))
    by_arm = {one.arm: one for one in found.cells[0].led()}
    refused = by_arm.pop(idle)
    assert (refused.verdict, refused.ratio, refused.p_value) == ("undecided", None, None)
    assert refused.reason == f"refused: {idle} made no request"
    assert all(one.ratio is not None for one in by_arm.values())
    assert any("--set cache_control=no-cache" in warning for warning in found.warnings)


def test_a_run_of_nothing_but_caches_has_measured_nothing() -> None:
    trials = [*loads(SHOP, "h2", steady(1.0)), *loads(SHOP, "h2+warm", steady(0.1), requests=0, size=0)]
    found = summary(trials, ("h2", "h2+warm"))
    assert found.unmeasured is not None
    assert "h2+warm made no request" in found.unmeasured.text
    assert "cache_control=no-cache" in found.unmeasured.remedy
