"""The report file: whole, safe, repeatable."""

from pathlib import Path

import pytest

from pronghorn.model.trial import CpuSeconds, Trial
from pronghorn.report import html

from .reported import HOSTILE, MANIFEST, Page, summary, trials
from .synthetic import cell, paired


@pytest.fixture(scope="module")
def text() -> str:
    return html.document(summary(trials()), trials(), MANIFEST)


def test_it_parses_and_no_identity_stands_twice(text: str) -> None:
    ids = Page(text).ids()
    assert len(ids) == len(set(ids))


def test_it_fetches_nothing(text: str) -> None:
    for tag, attributes in Page(text).seen:
        assert tag not in {"script", "iframe", "img", "object", "embed", "image", "use"}
        for name in ("src", "href", "xlink:href", "srcset", "action", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:"))
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_verdicts_come_before_the_charts_the_tables_and_the_manifest(text: str) -> None:
    places = [
        text.index(mark) for mark in ('class="headline"', 'id="verdicts"', 'id="cell-1"', 'id="conditions"')
    ]
    assert places == sorted(places)


def test_every_chart_says_what_it_shows(text: str) -> None:
    charts = [attributes for tag, attributes in Page(text).seen if attributes.get("role") == "img"]
    assert len(charts) == 4 + 2 * 4
    assert all(len(chart["aria-label"] or "") > 40 for chart in charts)


def test_it_shows_the_manifest_its_warnings_and_the_path_s_counters(text: str) -> None:
    said = " ".join(Page(text).texts)
    assert "The initial windows differ." in said
    assert "net.core.rmem_max" in said
    assert "15 %" in said
    assert "failed in" in said


def test_the_same_run_gives_the_same_bytes(text: str, tmp_path: Path) -> None:
    html.write(summary(trials()), trials()[::-1], MANIFEST, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == text


def test_hostile_names_are_text() -> None:
    where = cell(HOSTILE, site=HOSTILE)
    found = paired(where, {"h2": [1.0, 2.0, 3.0], HOSTILE: [1.0, 2.0, None]})
    text = html.document(
        summary(found, name=HOSTILE, arms=["h2", HOSTILE], label=HOSTILE, notes=[HOSTILE]),
        found,
        {HOSTILE: HOSTILE, "warnings": [HOSTILE]},
    )
    page = Page(text)
    assert "<script" not in text
    assert not [tag for tag, _ in page.seen if tag == "script"]
    assert HOSTILE in "".join(page.texts)


def test_a_run_without_trials_still_has_a_report() -> None:
    empty = summary([], cells=[cell("lte")])
    assert "No trial of this cell finished." in html.document(empty, [], {})


def test_equal_times_and_single_trials_are_drawn() -> None:
    found = paired(cell("lte"), {"h2": [1.0], "h3": [1.0]})
    assert "<svg" in html.document(summary(found), found, {})


def test_numbers_stay_with_their_units() -> None:
    assert html.unbroken("3.21 s against 95 % of 12 blocks, so") == (
        "3.21\u00a0s against 95\u00a0% of 12\u00a0blocks, so"
    )


def test_an_arm_that_always_fails_is_drawn() -> None:
    loaded: list[float | None] = [1.0] * 6
    failed: list[float | None] = [None] * 6
    for h2, h3 in ((loaded, failed), (failed, loaded)):
        found = paired(cell("lte"), {"h2": h2, "h3": h3})
        assert "<svg" in html.document(summary(found), found, {})


def test_a_cell_tells_all_statistics_and_their_intervals_or_what_they_take() -> None:
    found = paired(cell("lte"), {"h2": [1 + place / 100 for place in range(20)], "h3": [1.0] * 20})
    texts = " ".join(Page(html.document(summary(found), found, {})).texts)
    said = " ".join(texts.replace("\u00a0", " ").split())
    assert "arm median mean trimmed mean p75 p90 p95 p99 min max n failed" in said
    assert "h2 1.05 s to 1.14 s 1.10 s to 1.18 s from 29 blocks from 59 blocks from 299 blocks" in said
    assert "h3, load 0.913 (" in said
    assert "from 40 blocks from 100 blocks from 200 blocks from 1000 blocks" in said


def test_the_correction_is_told_once_beneath_the_verdicts(text: str) -> None:
    assert text.count(" of 2 verdicts name") == 1


def used(trial: Trial, client_s: float | None, origin_s: float | None) -> Trial:
    return trial.model_copy(update={"cpu": CpuSeconds(client_s=client_s, origin_s=origin_s)})


def test_a_cells_table_has_the_median_cpu_time_of_both_ends_where_any_trial_tells() -> None:
    found = paired(cell("lte"), {"h2": [1.0, 1.1, None], "h3": [1.0, 1.1, 1.2]})
    assert "client CPU" not in html.document(summary(found), found, {})
    times = {("h2", 0): (0.0123, None), ("h2", 1): (0.0125, None), ("h2", 2): (9.0, 9.0)}
    told = [used(one, *times.get((one.arm, one.block), (0.2, 0.0041))) for one in found]
    said = " ".join(" ".join(Page(html.document(summary(told), told, {})).texts).split())
    assert "median CPU time of client and origin in ms" in said
    h2, h3 = (said[said.index(f" {arm} ", said.index("origin CPU")) :][:120] for arm in ("h2", "h3"))
    assert " 12.4 – 3 1 " in h2
    assert " 200 4.10 3 0 " in h3
