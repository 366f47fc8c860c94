"""The documents and the program's texts are plain: `scripts/words.py` finds what isn't, with its place."""

import importlib.util
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TREE = Path(__file__).resolve().parents[3]


def _words() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", TREE / "scripts" / "words.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WORDS = _words()


def said(found: Iterable[Any]) -> list[str]:
    return [str(one) for one in found]


def test_the_tree_has_no_finding() -> None:
    assert said(WORDS.findings(TREE)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nUse it\nin the place of h2.\n", "a.md:4: “in the place of”; write: instead of"),
        ("- The client is told of it.\n", "a.md:1: “is told”; write: is shown, reported, or knows"),
        ("So many blocks.\n", "a.md:1: “So many”; write: this many, or the number"),
        ("x" * 121 + "\n", "a.md:1: 121 columns; 120 at most"),
    ],
)
def test_a_finding_has_its_line_and_what_to_write(text: str, expected: str) -> None:
    assert expected in said(WORDS.of_markdown("a.md", text))


def test_a_sentence_has_at_most_30_words() -> None:
    def page(words: int) -> str:
        return f"# A\n\n{textwrap.fill(' '.join(['word'] * words))}. Another sentence.\n"

    assert said(WORDS.of_markdown("a.md", page(30))) == []
    (found,) = said(WORDS.of_markdown("a.md", page(31)))
    assert found.startswith("a.md:3: a sentence of 31 words")


def test_code_tables_and_quoted_output_are_left_alone() -> None:
    long = "in the place of " * 20
    text = f"Text.\n\n    {long}\n\n| {long} |\n\n```\n{long}\n```\n\n`in the place of` is a phrase.\n"
    assert said(WORDS.of_markdown("a.md", text)) == []


def test_of_the_program_only_what_its_users_read_is_checked() -> None:
    source = (
        '"""A docstring, told of."""\n# None where it is.\nNAME = "mend"\nSAID = f"The {NAME} bears it."\n'
    )
    assert said(WORDS.of_python("a.py", source)) == [
        "a.py:4: “bears”; write: has, supports, or tolerates",
    ]
    assert said(WORDS.of_template("a.j2", "<p\n>{# so many #}So many.</p>")) == [
        "a.j2:2: “So many”; write: this many, or the number",
    ]


def test_a_passive_that_names_who_acts_is_found() -> None:
    assert said(WORDS.of_markdown("a.md", "Time is kept.\nWaits are quickly judged by chains.\n")) == [
        "a.md:1: “are quickly judged by chains” is passive; begin with who does it"
    ]
    for fine in ("A list is sorted by name.", "It is stopped by itself.", "# Waits are judged by chains"):
        assert said(WORDS.of_markdown("a.md", f"{fine}\n")) == []


def test_pages_are_short_but_for_reference(tmp_path: Path) -> None:
    (tmp_path / "docs" / "how-to").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text(
        "nav:\n  - How-to:\n      - A: how-to/a.md\n  - Reference:\n      - B: b.md\n"
        "  - Explanation:\n      - C: c.md\n",
        encoding="utf-8",
    )
    (tmp_path / "README.md").write_text("word " * 901, encoding="utf-8")
    for page in ("how-to/a.md", "b.md", "c.md"):
        (tmp_path / "docs" / page).write_text("\n" * 251, encoding="utf-8")
    (tmp_path / "docs" / "d.md").write_text("\n" * 250, encoding="utf-8")
    assert said(WORDS.of_lengths(tmp_path)) == [
        "README.md:1: 901 words; 900 at most",
        "docs/c.md:251: 251 lines; 250 at most, but in reference",
        "docs/how-to/a.md:251: 251 lines; 250 at most, but in reference",
    ]
