"""The program `pronghorn`, run within the tests' own process."""

import sys
from typing import NamedTuple

import pytest

from pronghorn.cli import main


class Result(NamedTuple):
    """How the program ended and what it printed."""

    status: int
    stdout: str
    stderr: str


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Result:
    """Runs it with these words."""
    monkeypatch.setattr(sys, "argv", ["pronghorn", *arguments])
    capsys.readouterr()
    try:
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    captured = capsys.readouterr()
    return Result(status, captured.out, captured.err)
