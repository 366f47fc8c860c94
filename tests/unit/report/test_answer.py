"""The first screen of a report: which arm, by how much, how sure."""

import math

import pytest

from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.report import html
from pronghorn.report.answer import Answer, answer
from pronghorn.report.answer.scale import scale

from ..analysis import reported
from ..analysis.reported import MANIFEST, Page, summary, trials
from ..analysis.synthetic import Behaviour, cell, paired, run


def answered(found: Summary) -> Answer:
    return answer(found, [f"cell-{place}" for place, _ in enumerate(found.cells, 1)])


def large() -> list[Trial]:
    """Nine paths for each of two servers; one path is measured with one of them only."""
    cells = [cell(f"p{number}", origin=name) for number in range(9) for name in ("caddy", "nginx")][:-1]
    return run({each: {"h2": Behaviour(1.0), "h3": Behaviour(0.5)} for each in cells}, blocks=6)


def test_each_cell_has_its_arms_with_effect_interval_and_medians() -> None:
    (lte,) = answered(summary(paired(cell("lte"), {"h2": [1.0, 1.1] * 6, "h3": [0.5] * 12}))).groups
    assert (lte.title, lte.anchor, lte.baseline, lte.trouble) == ("lte", "cell-1", "1.05 s", "")
    (row,) = lte.rows
    assert (row.arm, row.verdict, row.words, row.value) == ("h3", "faster", "2.1 times as fast", "500 ms")
    assert row.range_words == "2.0 to 2.2 times"


def test_http3_s_arms_come_first() -> None:
    found = paired(cell("lte"), {"h1": [1.0] * 6, "h2": [1.0] * 6, "h3": [0.5] * 6})
    (group,) = answered(summary(found, arms=["h1", "h2", "h3"])).groups
    assert [row.arm for row in group.rows] == ["h3", "h1"]


def test_faster_lies_right_and_slower_left_of_the_baseline() -> None:
    times = {"h1": [1.2] * 6, "h2": [1.0] * 6, "h3": [0.5] * 6}
    found = answered(summary(paired(cell("lte"), times), arms=["h1", "h2", "h3"]))
    h3, h1 = (row.mark for row in found.groups[0].rows)
    assert h3 is not None and h3.at is not None and h1 is not None and h1.at is not None
    assert h1.at < found.one < h3.at
    assert found.band[0] < found.one < found.band[1]
    assert [tick.ratio for tick in found.ticks] == sorted((tick.ratio for tick in found.ticks), key=float)
    assert [tick.place for tick in found.ticks] == sorted((tick.place for tick in found.ticks), reverse=True)


def test_failed_loads_are_counted_beside_the_verdict() -> None:
    half: list[float | None] = [1.0] * 6
    (group,) = answered(summary(paired(cell("lte"), {"h2": half, "h3": [None] * 6}))).groups
    assert (group.rows[0].verdict, group.rows[0].trouble) == ("slower", "6 of 6 failed")
    assert (group.rows[0].value, group.rows[0].range_words) == ("–", "")
    assert group.rows[0].mark == (0.0, 0.0, 0.0)
    (other,) = answered(summary(paired(cell("lte"), {"h2": [None] * 6, "h3": half}))).groups
    assert (other.trouble, other.rows[0].verdict, other.rows[0].words) == (
        "6 of 6 failed",
        "faster",
        "faster",
    )
    assert other.rows[0].mark is not None
    assert other.rows[0].mark.at == 100.0


def test_an_undecided_arm_that_often_failed_has_an_interval_and_no_point() -> None:
    behaviours = {cell("lte"): {"h2": Behaviour(1.0), "h3": Behaviour(0.5, fails=0.6)}}
    (group,) = answered(summary(run(behaviours))).groups
    row = group.rows[0]
    assert (row.verdict, row.range_words[-4:]) == ("undecided", "to ∞")
    assert row.mark is not None
    assert (row.mark.at, row.mark.begin) == (None, 0.0)


def test_a_run_without_trials_says_so_without_a_drawing() -> None:
    found = reported.summary([], cells=[cell("lte")])
    (group,) = answered(found).groups
    assert [(row.words, row.mark) for row in group.rows] == [("undecided", None)]
    assert 'id="verdicts"' in html.document(found, [], {})


def test_the_label_stands_once_and_not_in_every_sentence() -> None:
    found = summary(trials(), label="virtual time: computing takes no time")
    assert all("virtual time" in sentence for sentence in found.headline)
    assert not any("virtual time" in sentence for sentence in answered(found).headline)


@pytest.mark.parametrize("ratio", [0.02, 0.5, 0.97, 1.0, 1.3, 80.0])
def test_the_baseline_lies_where_both_sides_have_room_for_their_name(ratio: float) -> None:
    found = summary(paired(cell("lte"), {"h2": [1.0] * 6, "h3": [ratio] * 6}))
    assert 20 <= scale(found.cells[0].led(), found.margin).place(1.0) <= 80


def test_places_are_logarithmic() -> None:
    found = summary(paired(cell("lte"), {"h2": [1.0] * 6, "h3": [0.25] * 6}))
    axis = scale(found.cells[0].led(), found.margin)
    assert axis.place(2) - axis.place(1) == pytest.approx(axis.place(4) - axis.place(2), abs=0.11)
    assert axis.place(math.inf) == 100
    assert axis.place(0) == 0


def test_a_large_run_is_a_table_by_its_longest_dimension() -> None:
    found = answered(summary(large())).matrix
    assert found is not None
    assert (found.down, [line.title for line in found.lines]) == (
        "path",
        [f"p{number}" for number in range(9)],
    )
    assert [(column.title, column.arms) for column in found.columns] == [
        ("caddy", ("h3",)),
        ("nginx", ("h3",)),
    ]
    assert {entry.verdict for line in found.lines for entry in line.entries} == {"faster", None}
    assert found.lines[-1].entries[1] == (None, "")
    assert all(entry.change.startswith("-") for line in found.lines for entry in line.entries[:1])


def test_a_small_run_has_no_such_table() -> None:
    assert answered(summary(trials())).matrix is None


def test_a_large_run_s_page_begins_with_the_table_and_keeps_every_comparison() -> None:
    found = large()
    text = html.document(summary(found), found, MANIFEST)
    page = Page(text)
    assert text.index("All verdicts in a table") < text.index('id="how-big"') < text.index('class="answer"')
    assert text.count('class="answer-cell"') == 17
    assert len(page.ids()) == len(set(page.ids()))


def test_the_questions_follow_in_their_order_and_lead_somewhere() -> None:
    text = html.document(summary(trials()), trials(), MANIFEST)
    page = Page(text)
    asked = ["how-big", "how-sure", "why", "cells", "what-ran"]
    places = [text.index(f'id="{question}"') for question in asked]
    assert places == sorted(places)
    targets = {attributes["href"] for tag, attributes in page.seen if tag == "a"}
    inside = {each[1:] for each in targets if each is not None and each.startswith("#")}
    assert inside >= {*asked, "cell-1"}
    assert inside <= set(page.ids())
