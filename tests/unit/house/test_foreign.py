"""Foreign text, made visible: on streams, in tables, in Markdown."""

import io
import json
import re
import sys
import unicodedata

import pytest
from rich.table import Table
from rich.text import Text

from pronghorn import standard
from pronghorn.foreign import line, visible
from pronghorn.report.markdown import escaped
from pronghorn.terminal import Terminal

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08\u202eb\u2066\u200b\u2028\ufeff\U000e0041\x00"


def test_what_acts_is_written_as_json_writes_it() -> None:
    told = visible(HOSTILE)
    assert told.isprintable()
    assert told.startswith(
        "a\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u000d\\u0008\\u202eb\\u2066\\u200b\\u2028"
    )
    assert json.loads(f'"{told}"') == HOSTILE
    assert visible(told) == told


def test_what_people_write_stays() -> None:
    text = "Zürich\t→ «页» 😀 á\nλ\u00a0±3 %"
    assert visible(text) == text


def test_every_character_without_a_shape_is_made_visible() -> None:
    acting = {"Cc", "Zl", "Zp", "Cs"}
    every = map(chr, range(0x110000))
    left = [one for one in every if unicodedata.category(one) in acting and visible(one) == one]
    assert left == ["\t", "\n"]
    turning = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    every = map(chr, range(0x110000))
    assert not [one for one in every if unicodedata.bidirectional(one) in turning and visible(one) == one]


def test_a_line_is_one_line_and_is_cut_with_an_ellipsis() -> None:
    assert line("one\ntwo\tthree\x1b") == "one\\u000atwo\\u0009three\\u001b"
    assert line("x" * 20, 20) == "x" * 20
    assert line("x" * 21, 20) == "x" * 19 + "…"
    assert len(line("\x1b" * 10_000, 20)) == 20


def test_a_terminal_colours_its_own_text_and_shows_anothers() -> None:
    shown = io.StringIO()
    console = Terminal(file=shown, force_terminal=True, width=200, color_system="standard")
    table = Table("[/x]", HOSTILE)
    table.add_row(Text(HOSTILE, style="red"), f"[bold]{HOSTILE}")
    console.print(Text(HOSTILE, style="bold"), table, HOSTILE)
    told = shown.getvalue()
    assert "\x1b[1m" in told and "\x1b[31m" in told
    bare = re.sub(r"\x1b\[[\d;]*m", "", told)
    assert all(char.isprintable() or char == "\n" for char in bare)
    assert "[bold]a\\u001b]0;owned" in bare and "[/x]" in bare


def test_the_programs_streams_make_text_visible(capsys: pytest.CaptureFixture[str]) -> None:
    with standard.outlets():
        print(HOSTILE)
        print(f"fault: {HOSTILE}", file=sys.stderr)
    assert capsys.readouterr() == (f"{visible(HOSTILE)}\n", f"fault: {visible(HOSTILE)}\n")


def test_markdown_shows_it_as_well() -> None:
    assert escaped("a\x1b[2J|\u202e") == "a\\\\u001b\\[2J\\|\\\\u202e"
