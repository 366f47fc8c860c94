"""The first comparison's page (docs/first-comparison.md): its commands run, and print what the page shows.

They run in virtual time, to the first look at six blocks, so that no busy host fails them. Only the form is
compared: figures and verdicts may differ with another kernel.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from . import programme

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

TREE = Path(__file__).resolve().parents[2]
PAGE = TREE / "docs" / "first-comparison.md"
PROGRAM = ".venv/bin/pronghorn "
LEFT_OUT = ("git clone", "make run", f"{PROGRAM}guest")
"""What a test has already: the tree, the build, the kernel."""


class Block(NamedTuple):
    """Lines of code on the page, with the sentence before them."""

    lines: list[str]
    before: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n") + "\n"


def blocks(page: str) -> Iterator[Block]:
    """The page's code in its order, each command by itself."""
    before, lines = "", list[str]()
    for line in [*page.splitlines(), "end"]:
        is_command = line.startswith(tuple(f"    {word}" for word in ("git ", "make ", PROGRAM)))
        if lines and (is_command or (line.strip() and not line.startswith("    "))):
            yield Block(lines, before)
            lines = []
        if is_command:
            yield Block([line.strip()], before)
        elif line.startswith("    ") or (lines and not line):
            lines.append(line.removeprefix("    "))
        elif line:
            before = line


def form(line: str) -> str:
    """A line without its figures, units, bars and verdicts."""
    line = re.sub(r"█+", "", line)
    line = re.sub(r"(?<![\w-])[-+]?\d[\d.]*( ms| s)?", "N", line)
    return " ".join(re.sub(r"\b(faster|slower|same|undecided)\b", "V", line).split())


def printed(command: str, folder: Path, columns: int = 80) -> str:
    """What a command of the page prints, in virtual time and few blocks."""
    words = shlex.split(command.removeprefix(PROGRAM))
    if words[0] == "run":
        words += [] if "--clock" in words else ["--clock", "virtual"]
        words += (
            []
            if any(word.startswith("repeat=") for word in words)
            else ["--set", "repeat={ min = 6, max = 6 }"]
        )
    result = programme.run(*words, folder=folder, env=programme.environment(COLUMNS=str(columns)))
    assert result.status == 0, f"{command}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pronghorn")


def test_every_command_runs_and_prints_what_the_page_shows(folder: Path) -> None:
    last, said = "", ""
    ran: list[str] = []
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.text.startswith(LEFT_OUT):
            continue
        if block.text.startswith(PROGRAM):
            last = block.text.strip()
            said = printed(last, folder, 400 if " report " in last else 80)
            ran.append(last)
        elif "mine.toml" in block.before:
            (folder / "mine.toml").write_text(block.text, encoding="utf-8")
        elif block.lines[0].startswith("sites = "):
            shipped = (TREE / "experiments" / "default.toml").read_text(encoding="utf-8").splitlines()
            assert [line for line in block.lines if line and line not in shipped] == []
        elif " report " in last:
            assert {form(line) for line in block.lines if line} <= {form(line) for line in said.splitlines()}
        else:
            assert_is_screen(block.lines, said.splitlines())
    assert len(ran) >= 4
    assert {"default", "mine"} <= {run.name for run in (folder / "runs").iterdir()}


def assert_is_screen(shown: list[str], said: list[str]) -> None:
    """Asserts that a screen has the page's title, label, comparisons and last lines; its sentences depend on
    the verdicts."""
    table = [form(line) for line in shown[: shown.index("")]]
    assert [form(line) for line in said[: len(table)]] == table
    ends = [
        form(line)
        for line in shown
        if line.startswith(("Report: ", "For your own site: ")) or "warning" in line
    ]
    assert [form(line) for line in said if form(line) in ends] == ends
    assert [line for line in said if line.startswith("h3 ")] and [
        line for line in said if line.startswith("h1 ")
    ]
