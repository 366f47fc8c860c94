"""The report's section on what explains the differences, and the terminal's sentences."""

import io

import pytest

from pronghorn.model.explanation import Explanation
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.report import html
from pronghorn.report.terminal import render
from pronghorn.terminal import Terminal

from .reported import Page
from .synthetic import Behaviour, cell, run, summarised

CHAIN = ("h2", "h3", "h3+0rtt")
HOSTILE = "<b>'&{{ 7*7 }}"


def trials() -> list[Trial]:
    arms = {"h2": Behaviour(1.0), "h3": Behaviour(0.8), "h3+0rtt": Behaviour(0.6)}
    poor = arms | {"h3": Behaviour(1.0, fails=1.0)}
    return run({cell("lan"): arms, cell("lte-poor"): poor})


def summary(name: str = "protocol first") -> Summary:
    asked = Explanation(name=name, metric="load", chain=CHAIN, steps=("protocol", f"0-RTT {name}"))
    return summarised(
        trials(), name="Is it?", arms=CHAIN, baseline="h2", seed=1, limit_s=180.0, explanations=[asked]
    )


@pytest.fixture(scope="module")
def text() -> str:
    return html.document(summary(), trials(), {})


def test_the_section_stands_between_the_verdicts_and_the_cells(text: str) -> None:
    places = [text.index(mark) for mark in ('id="verdicts"', 'id="explained"', 'id="cell-1"')]
    assert places == sorted(places)
    ids = Page(text).ids()
    assert len(ids) == len(set(ids))


def test_it_has_a_sentence_a_cell_a_chart_and_a_table_of_all_steps(text: str) -> None:
    page = Page(text)
    said = " ".join(page.texts).replace("\u00a0", " ")
    for found in summary().explanations:
        assert found.words in said
    charts = [attributes for _, attributes in page.seen if attributes.get("role") == "img"]
    labels = [chart["aria-label"] or "" for chart in charts]
    assert sum("lan: protocol explains" in label for label in labels) == 2
    for step in ("protocol (h2 → h3)", "0-RTT protocol first (h3 → h3+0rtt)"):
        assert page.texts.count(step) == 1
        assert page.texts.count(step.partition(" (")[0]) == 2


def test_a_cell_without_all_ratios_is_left_out_of_the_chart(text: str) -> None:
    section = text[text.index('id="explained"') : text.index("Steps in figures")]
    drawing = section[section.index("<svg") : section.index("</svg>")]
    assert ">lan<" in drawing
    assert ">lte-poor<" not in drawing


def test_a_report_without_explanations_has_no_such_section() -> None:
    plain = summarised(trials(), name="Is it?", arms=CHAIN, baseline="h2", seed=1, limit_s=180.0)
    text = html.document(plain, trials(), {})
    assert "What explains the difference" not in text
    assert "<dt>Explanations</dt>" not in text


def test_hostile_names_are_text() -> None:
    found = summary(HOSTILE)
    page = Page(html.document(found, trials(), {}))
    assert not [tag for tag, _ in page.seen if tag == "b"]
    assert f"0-RTT {HOSTILE}" in " ".join(page.texts)


def test_the_terminal_says_it_with_the_cell_s_verdicts() -> None:
    out = io.StringIO()
    render(summary(), Terminal(file=out, width=1000, color_system=None))
    lines = [line.strip() for line in out.getvalue().splitlines()]
    for found in summary().explanations:
        assert found.words in lines
    assert lines.index(summary().explanations[0].words) < lines.index(
        next(line for line in lines if line.startswith("lte-poor  load time"))
    )
