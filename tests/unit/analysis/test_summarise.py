"""From trials to a summary, its JSON and its sentences."""

import json
import math
from typing import Any

import pytest

from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, PageLoad, Trial

from .synthetic import Behaviour, cell, paired, run, summarised, trial

LTE = cell("lte")
STEADY = [1.0 + place / 1000 for place in range(12)]


def summary(trials: list[Trial], arms: tuple[str, ...] = ("h2", "h3"), **changes: Any) -> Summary:
    settings: dict[str, Any] = {
        "name": "test",
        "arms": arms,
        "baseline": "h2",
        "seed": 1,
        "limit_s": 180.0,
    } | changes
    return summarised(trials, **settings)


def words(found: Summary, statistic: str = "median", place: int = 0) -> str:
    return next(
        one.words
        for one in found.cells[place].comparisons
        if (one.metric, one.statistic) == ("load", statistic)
    )


def test_the_json_is_the_contract_s() -> None:
    found = json.loads(summary(paired(LTE, {"h2": STEADY, "h3": STEADY})).model_dump_json())
    first = found["cells"][0]
    assert {key: first[key] for key in ("site", "path", "origin", "client")} == LTE.model_dump()
    assert {"n", "failed", "contaminated", "median", "mean", "p90", "p99", "min", "max"} <= set(
        first["arms"]["h3"]
    )
    for one in first["comparisons"]:
        assert {"metric", "statistic", "arm", "baseline", "ratio", "ci95", "verdict"} <= set(one)
    assert Summary.model_validate(found).model_dump(mode="json") == found


def test_twice_as_fast_is_faster_in_words() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": [time / 2 for time in STEADY]}))
    assert words(found).startswith(
        "lte: h3 is faster than h2: median load 503 ms against 1.01 s (ratio 0.500, 95 %"
    )
    assert words(found).endswith("; difference -503 ms [-504, -501]; faster in 12 of 12 blocks)")
    assert found.headline == ["h3 is faster than h2 on lte."]


def test_equal_arms_are_the_same() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": STEADY}))
    assert "h3 is as fast as h2 within ±3 %" in words(found)
    assert found.headline == ["h3 is as fast as h2 (±3 %) on lte."]


def test_the_margin_moves_the_verdict() -> None:
    trials = paired(LTE, {"h2": STEADY, "h3": [1.1 * time for time in STEADY]})
    verdicts = [summary(trials, margin=margin).cells[0].comparison("h3") for margin in (0.03, 0.2)]
    assert [one.verdict for one in verdicts if one] == ["slower", "same"]


def test_the_order_of_trials_changes_nothing() -> None:
    trials = run({LTE: {"h2": Behaviour(1, 0.3), "h3": Behaviour(1, 0.3)}})
    assert summary(trials) == summary(trials[::-1])


def test_another_cell_leaves_a_cell_s_interval_alone() -> None:
    trials = run({LTE: {"h2": Behaviour(1, 0.3), "h3": Behaviour(1, 0.3)}})
    more = trials + run({cell("lan"): {"h2": Behaviour(1, 0.3), "h3": Behaviour(1, 0.3)}}, seed=2)
    alone, among = summary(trials), summary(more)
    assert alone.cells[0].comparisons == next(one for one in among.cells if one.path == "lte").comparisons


def test_a_failure_takes_the_mean_from_the_whole_cell_and_is_named() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": [*STEADY[:11], None], "h1": STEADY}), ("h1", "h2", "h3"))
    arms = found.cells[0].arms
    assert [arm.mean for arm in arms.values()] == [None, None, None]
    assert (arms["h3"].n, arms["h3"].failed, arms["h3"].max, arms["h3"].failures) == (
        12,
        1,
        None,
        {"timeout": 1},
    )
    assert arms["h3"].median == pytest.approx(1.0055)
    mean = found.cells[0].comparison("h1", "load", "mean")
    assert mean is not None
    assert (mean.ratio, mean.ci95, mean.verdict) == (None, (None, None), "undecided")
    assert mean.words == "lte: the means of h1 and h2 aren't compared, because trials failed"
    median = found.cells[0].comparison("h3")
    assert median is not None
    assert "; h3 failed in 1 of 12 trials (timeout 1), h2 in none; " in median.words


def test_a_second_reading_leaves_failed_loads_out() -> None:
    """Of twelve loads five failed: two fifths of the resamples have six or more that did."""
    halved: list[float | None] = [time / 2 for time in STEADY[:7]]
    found = summary(paired(LTE, {"h2": STEADY, "h3": [*halved, None, None, None, None, None]}))
    one = found.cells[0].comparison("h3")
    assert one is not None and one.finished is not None
    assert one.finished.model_dump() == {
        "ratio": pytest.approx(0.5),
        "ci95": (pytest.approx(0.5, rel=0.01), pytest.approx(0.5, rel=0.01)),
        "blocks": 7,
    }
    assert one.ci95[1] is None
    assert one.words.endswith(
        "; in 7 blocks in which both loaded the ratio is 0.500, 95 % interval 0.500 to 0.500"
    )
    others = summary(paired(LTE, {"h2": STEADY, "h3": STEADY})).cells[0].comparison("h3")
    assert others is not None and others.finished is None


def test_a_comparison_has_a_difference_a_superiority_and_a_p_value() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": [time - 0.1 for time in STEADY]}))
    one = found.cells[0].comparison("h3")
    assert one is not None
    assert (one.difference, *one.ci95_difference) == pytest.approx((-0.1, -0.1, -0.1))
    assert (one.superiority, *one.ci95_superiority) == pytest.approx((1.0, 0.735, 1.0), abs=0.001)
    assert (one.p_value, one.q_value) == pytest.approx((2 / 2**12, 2 / 2**12))
    mean = found.cells[0].comparison("h3", "load", "mean")
    assert mean is not None
    assert mean.difference == pytest.approx(-0.1)
    assert (mean.superiority, mean.p_value) == (None, None)


def test_a_margin_in_milliseconds_makes_small_differences_the_same() -> None:
    trials = paired(LTE, {"h2": STEADY, "h3": [time + 0.05 for time in STEADY]})
    found = summary(trials, margin_s=0.06)
    assert found.margin_s == 0.06
    assert "h3 is as fast as h2 within ±3 % or ±60 ms" in words(found)
    assert found.headline == ["h3 is as fast as h2 (±3 % or ±60 ms) on lte."]
    assert "h3 is slower than h2" in words(summary(trials))


def test_quantiles_are_compared_from_their_number_of_blocks_on() -> None:
    some = {
        "h2": [1.0 + place / 1000 for place in range(40)],
        "h3": [0.5 + place / 1000 for place in range(40)],
    }
    found = summary(paired(LTE, some)).cells[0]
    p75, p90 = (found.comparison("h3", "load", each) for each in ("p75", "p90"))
    assert p75 is not None and p90 is not None
    assert (p75.verdict, p75.reason) == ("faster", None)
    assert p90.ratio == pytest.approx(0.535 / 1.035)
    assert (p90.ci95, p90.verdict) == ((None, None), "undecided")
    assert p90.words == (
        "lte: undecided between h3 and h2: p90 load 535 ms against 1.03 s (ratio 0.52; "
        "needs more blocks (40 of at least 100); 40 blocks)"
    )


def painted(one: Trial, lcp_s: float | None) -> Trial:
    page = {"outcome": "ok", "load_s": one.metrics.load_s, "vitals": {"lcp_s": lcp_s}}
    return one.model_copy(update={"page": PageLoad.model_validate(page)})


def test_the_largest_paint_is_compared_where_every_load_tells_it() -> None:
    trials = paired(LTE, {"h2": STEADY, "h3": [time / 2 for time in STEADY]})
    told = [painted(one, (one.metrics.load_s or 0) / 2) for one in trials]
    found = summary(told).cells[0]
    one = found.comparison("h3", "lcp")
    assert one is not None
    assert one.ratio == pytest.approx(0.5)
    assert one.verdict == "faster"
    assert "median largest contentful paint 251 ms against 503 ms" in one.words
    assert found.arms["h2"].of("lcp").median == pytest.approx(0.50275)
    untold = summary([painted(told[0], None), *told[1:]]).cells[0]
    assert untold.comparison("h3", "lcp") is None
    assert untold.arms["h2"].lcp is None


def test_an_arm_that_never_ends_is_slower() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": [None] * 12}))
    one = found.cells[0].comparison("h3")
    assert one is not None
    assert (one.ratio, one.ci95, one.verdict) == (None, (None, None), "slower")
    assert "never (half or more failed) against 1.01 s (trials failed; 12 blocks)" in one.words
    assert math.isfinite(found.cells[0].arms["h2"].median or math.inf)


def test_where_the_mean_says_otherwise_the_text_says_so() -> None:
    stalled = [time * 0.9 for time in STEADY[:10]] + [40.0, 60.0]
    said = words(summary(paired(LTE, {"h2": STEADY, "h3": stalled})))
    assert "h3 is faster than h2" in said
    assert "; but the mean of h3 is slower (ratio 9.04" in said


def test_too_few_blocks_say_that_they_need_more() -> None:
    found = summary(paired(LTE, {"h2": [1.0, 1.0], "h3": [0.5, 0.5]}))
    said = words(found)
    assert "undecided between h3 and h2" in said
    assert "(ratio 0.50; needs more blocks (2 of at least 6); faster in 2 of 2 blocks)" in said
    one = found.cells[0].comparison("h3")
    assert one is not None
    assert (one.ci95, one.ci95_difference) == ((None, None), (None, None))


def test_a_missing_arm_and_an_empty_cell_are_no_error() -> None:
    lone = summary([trial(LTE, "h2", 0, 1.0)]).cells[0]
    assert (lone.blocks, lone.incomplete, lone.arms["h3"].n) == (0, 1, 0)
    empty = summary([], cells=[LTE]).cells[0]
    assert empty.arms["h2"].median is None
    assert summary([]).headline == ["h3: nothing measured."]


def test_times_of_zero_have_no_ratio() -> None:
    trials = [
        one.model_copy(update={"metrics": one.metrics.model_copy(update={"load_s": 0.0, "ttfb_s": 0.0})})
        for one in paired(LTE, {"h2": [1.0] * 12, "h3": [1.0] * 12})
    ]
    found = summary(trials).cells[0]
    assert {one.verdict for one in found.comparisons} == {"undecided"}


def test_unequal_contamination_is_a_warning() -> None:
    trials = paired(LTE, {"h2": STEADY, "h3": STEADY})
    again = [one.model_copy(update={"attempt": 1}) for one in trials]
    first = [
        one.model_copy(update={"status": "contaminated", "reason": "lateness"}) if one.arm == "h3" else one
        for one in trials
    ]
    found = summary(first + again).cells[0]
    assert (found.blocks, found.arms["h3"].contaminated, found.arms["h2"].contaminated) == (12, 12, 0)
    assert found.notes[0].startswith("12 trials contaminated (lateness 12) and repeated with the whole block")
    assert "unequally often" in found.notes[1]


def test_titles_name_what_varies_and_the_cells_keep_their_order() -> None:
    cells = [cell("lte"), cell("lan"), cell("lan", site="spa")]
    found = summary([], cells=cells)
    assert [one.title for one in found.cells] == ["small, lte", "small, lan", "spa, lan"]
    assert [one.cell for one in found.cells] == cells


def test_the_headline_names_each_cell_in_one_word() -> None:
    cells = [cell("lte", site="small"), cell("lte", site="spa"), cell("lan", site="spa")]
    trials = [one for where in cells for one in paired(where, {"h2": STEADY, "h3": STEADY})]
    found = summary(trials, cells=cells)
    assert found.headline == ["h3 is as fast as h2 (±3 %) on small/lte, spa/lte and spa/lan."]


def test_a_label_is_in_the_headline() -> None:
    found = summary(paired(LTE, {"h2": STEADY, "h3": STEADY}), label="no emulated network on this host")
    assert found.headline == ["h3 is as fast as h2 (±3 %) on lte (no emulated network on this host)."]


def test_a_baseline_that_is_no_arm_is_refused() -> None:
    with pytest.raises(ValueError, match="'h9' is not one of the arms"):
        summary([], baseline="h9", cells=[Cell(**LTE.model_dump())])


def test_a_run_of_a_single_arm_says_that_it_compares_nothing() -> None:
    found = summary(run({cell("lan"): {"h2": Behaviour(1)}}), arms=("h2",))
    assert found.headline == ["Only h2 was run, so there is nothing to compare it with."]
