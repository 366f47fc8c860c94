"""Typical mistakes: each gives one message of at most three lines with the mend, and changes nothing.

The messages are in `mistakes.txt`. PRONGHORN_RENEW_SNAPSHOTS=1 writes it anew from the commands in it."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..laboratory import Laboratory

RENEWED = "PRONGHORN_RENEW_SNAPSHOTS" in os.environ

SNAPSHOTS = Path(__file__).with_name("mistakes.txt")


def snapshots() -> Iterator[tuple[str, str]]:
    """Each command with its message."""
    for part in SNAPSHOTS.read_text(encoding="utf-8").split("$ pronghorn ")[1:]:
        command, _, message = part.partition("\n")
        yield command, message.rstrip("\n") + "\n"


MISTAKES = dict(snapshots())


@pytest.fixture
def household(laboratory: Laboratory) -> Laboratory:
    """A folder as people have them: a page, a run, a file that was begun."""
    for folder in ("public", "empty", "runs/first"):
        (laboratory.folder / folder).mkdir(parents=True)
    laboratory.write("public/index.html", "<title>Page</title>")
    laboratory.write("begun.toml", "x\n")
    for name in ("experiment.toml", "trials.jsonl", "manifest.json", "report.html"):
        laboratory.write(f"runs/first/{name}", "")
    return laboratory


def made(laboratory: Laboratory, command: str) -> str:
    """The message of a mistake, which changes nothing."""
    before = {file: file.lstat().st_mtime_ns for file in laboratory.folder.rglob("*")}
    result = laboratory.run(*shlex.split(command))
    assert (result.status, result.stdout) == (2, ""), command
    assert {file: file.lstat().st_mtime_ns for file in laboratory.folder.rglob("*")} == before
    return result.stderr


def test_there_are_twenty() -> None:
    assert len(MISTAKES) >= 20


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_told_in_three_lines_at_most(household: Laboratory, command: str) -> None:
    message = made(household, command)
    assert message == MISTAKES[command] or RENEWED
    assert len(message.splitlines()) <= 3
    assert message.startswith("pronghorn: ")


def test_the_snapshots_are_in_the_form_in_which_they_are_written(household: Laboratory) -> None:
    text = "\n".join(f"$ pronghorn {command}\n{made(household, command)}" for command in MISTAKES)
    if RENEWED:
        SNAPSHOTS.write_text(text, encoding="utf-8")
    assert SNAPSHOTS.read_text(encoding="utf-8") == text
