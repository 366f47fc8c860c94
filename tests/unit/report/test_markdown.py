"""The report for a pull request: verdicts first, short, and nothing in it is taken for markup."""

import re

import pytest

from pronghorn.report.markdown import MOST_CHARACTERS, escaped, markdown

from ..analysis.reported import HOSTILE, MANIFEST, summary, trials
from ..analysis.synthetic import Behaviour, cell, paired, run


def test_the_verdicts_come_first_then_the_figures_then_the_folded_warnings() -> None:
    text = markdown(summary(trials()), MANIFEST)
    marks = ["## Is it?", "**h3 is ", "- lan: ", "| arm | median |", "<summary>1 warning</summary>", "<sub>"]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "The initial windows differ. Set both." in text
    correction = summary(trials()).correction
    assert correction is not None
    assert escaped(correction.words) in text


def test_a_table_has_a_row_an_arm_and_as_many_fields_as_columns() -> None:
    text = markdown(summary(trials()), {})
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 2 * 4
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert [line.split("|")[1].strip() for line in lines[:4]] == ["arm", "---", "h2", "h3"]


def test_a_run_without_warnings_folds_none() -> None:
    assert "<details>" not in markdown(summary(trials()), {})


def test_the_tables_of_many_cells_are_folded() -> None:
    cells = {cell(f"path-{number}"): {"h2": Behaviour(1.0), "h3": Behaviour(1.1)} for number in range(6)}
    text = markdown(summary(run(cells, blocks=6)), {})
    assert text.index("<summary>Figures of 6 cells</summary>") < text.index("| arm |")


def test_what_a_comment_would_not_hold_loses_its_tables() -> None:
    found = paired(cell("lte"), {"h2": [1.0, 1.1, 1.2], "h3": [1.0, 1.1, 1.2]})
    one = summary(found)
    many = one.model_copy(
        update={
            "cells": [
                one.cells[0].model_copy(update={"comparisons": [], "title": f"cell {number}"})
                for number in range(400)
            ]
        }
    )
    text = markdown(many, {})
    assert len(text) < MOST_CHARACTERS
    assert "The cells' tables are left out. They are in report.html." in text


def test_of_more_verdicts_than_a_comment_holds_the_rest_is_counted() -> None:
    one = summary(paired(cell("lte"), {"h2": [1.0, 1.1, 1.2], "h3": [1.0, 1.1, 1.2]}))
    cells = 800
    text = markdown(one.model_copy(update={"cells": one.cells * cells}), MANIFEST)
    assert 0.99 * MOST_CHARACTERS < len(text) <= MOST_CHARACTERS
    left_out = re.search(r"^- … and (\d+) more verdicts, which are in report.html.$", text, re.MULTILINE)
    assert left_out is not None
    told = text.count(f"- {escaped(one.cells[0].led()[0].words)}. Each load: 21 requests, 600 kB.\n")
    assert told + int(left_out[1]) == cells
    assert f"<summary>{cells} verdicts</summary>" in text
    assert "The initial windows differ. Set both." in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>&", "&lt;b&gt;&amp;"),
        ("a|b `c` *d* _e_ [f](g)", r"a\|b \`c\` \*d\* \_e\_ \[f\](g)"),
        ("h3~altsvc and $x$", r"h3\~altsvc and \$x\$"),
        ("two\nlines", "two lines"),
        ("@team, h2@bbr", "&#64;team, h2@bbr"),
        ("see #7, h2#again", "see &#35;7, h2#again"),
        ("# title", r"\# title"),
        ("1. first", r"1\. first"),
        ("- item", r"\- item"),
        ("C:\\x", r"C:\\x"),
    ],
)
def test_text_reads_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_hostile_names_are_text() -> None:
    found = paired(cell(HOSTILE), {"h2": [1.0, 2.0, 3.0], HOSTILE: [1.0, 2.0, None]})
    text = markdown(
        summary(found, name=HOSTILE, arms=["h2", HOSTILE], label=HOSTILE), {"warnings": [HOSTILE]}
    )
    assert "<script" not in text
