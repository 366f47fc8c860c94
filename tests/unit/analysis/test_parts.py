"""Where loads' time went, in the summary, the report, the export and in words."""

from collections.abc import Mapping

import pytest

from pronghorn.export.rows import table
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.model.why import PARTS, HeadOfLine, Part, StreamWaits, Why
from pronghorn.report import html
from pronghorn.report.markdown import markdown
from pronghorn.report.pictures import pictures

from .synthetic import cell, summarised, trial

LOSSY = cell("lossy")


def _trial(arm: str, block: int, parts: Mapping[Part, float] | None, **more: object) -> Trial:
    load_s = sum(parts.values()) if parts else None
    told = {part: parts.get(part, 0.0) for part in PARTS} if parts else {}
    waits = HeadOfLine(
        stalled_s=0.2, byte_seconds=50, counted=2, streams=[StreamWaits(connection=0, id=4, path="/a")]
    )
    return trial(LOSSY, arm, block, load_s).model_copy(
        update={"why": Why(parts=told, head_of_line=waits), **more}
    )


def _summary(trials: list[Trial]) -> Summary:
    return summarised(trials, name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=9, resamples=50)


def _run() -> list[Trial]:
    trials = []
    for block in range(7):
        more = block / 100
        trials.append(
            _trial("h2", block, {"handshake": 0.2, "head_of_line": 0.18 + more, "bandwidth": 0.1 - more})
        )
        trials.append(_trial("h3", block, {"handshake": 0.15, "recovery": 0.01, "bandwidth": 0.1}))
    return trials


def test_each_arm_has_the_medians_of_its_parts() -> None:
    found = _summary(_run()).cells[0].why
    assert found["h2"].parts["head_of_line"] == pytest.approx(0.21)
    assert found["h2"].load_s == pytest.approx(0.48)
    assert found["h3"].parts["head_of_line"] == 0
    assert found["h3"].n == 7
    assert found["h3"].stalled_s == pytest.approx(0.2)


def test_a_sentence_says_which_parts_make_the_difference() -> None:
    assert _summary(_run()).cells[0].why_words == [
        "lossy: h3's median load is 220 ms shorter than h2's; by the medians of its parts: "
        "head of line -210 ms, handshake -50.0 ms, bandwidth +30.0 ms"
    ]


def test_a_difference_that_no_verdict_bears_out_is_said_to_be_perhaps_chance() -> None:
    few = [one for one in _run() if one.block < 3]
    (said,) = _summary(few).cells[0].why_words
    assert said.startswith("lossy: h3's median load is 220 ms shorter than h2's, which may be chance; by ")


def test_loads_that_failed_are_left_out_and_told() -> None:
    trials = _run()
    trials[0] = _trial("h2", 0, None)
    found = _summary(trials).cells[0]
    assert found.why["h2"].n == 6
    assert "of the loads that ended: 6 of 7 of h2" in found.why_words[0]


def test_what_could_not_be_told_is_said() -> None:
    trials = [
        _trial("h2", 0, {"other": 0.1, "request": 0.9}).model_copy(
            update={"why": Why(parts={"other": 0.1, "request": 0.9}, reason="nobody saw its packets")}
        ),
        _trial("h3", 0, {"request": 1.0}),
    ]
    assert _summary(trials).cells[0].why_words[-1] == (
        "Parts of h2: 10 % of its median load could not be assigned to a part and for 1 load: "
        "nobody saw its packets"
    )


def test_a_run_whose_trials_tell_nothing_has_no_parts() -> None:
    trials = [one.model_copy(update={"why": None}) for one in _run()]
    found = _summary(trials)
    assert (found.cells[0].why, found.cells[0].why_words) == ({}, [])
    assert "does not tell the parts of its loads' times" in html.document(found, trials, {})


def test_the_export_has_the_parts_in_the_row_of_the_median_load() -> None:
    rows = table(_summary(_run())).rows
    mine = [row for row in rows if (row["arm"], row["metric"], row["statistic"]) == ("h2", "load", "median")]
    assert mine[0]["part_head_of_line_s"] == pytest.approx(0.21)
    assert mine[0]["head_of_line_stalled_s"] == pytest.approx(0.2)
    assert all(row["part_other_s"] is None for row in rows if row["statistic"] != "median")


def test_the_report_shows_parts_as_bars_with_their_numbers_and_as_a_table() -> None:
    trials = _run()
    found = _summary(trials)
    text = html.document(found, trials, {})
    assert text == html.document(found, trials, {})
    assert "Where the time went" in text
    assert "9 head of line" in text
    assert "<td>210.0</td><td>0.0</td>" in text
    assert "parts-lossy.csv" in text
    brief = markdown(found, {})
    assert "<summary>Where the time went</summary>" in brief
    assert "lossy: h3's median load is 220 ms shorter than h2's" in brief
    drawn = {one.name: one.svg for one in pictures(found, trials)}
    assert "9 head of line" in drawn["parts-lossy"]
    assert "var(--" not in drawn["parts-lossy"]
