"""The command `pronghorn load` with a fake engine."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ... import engine_protocol
from .. import program
from ..program import Result
from . import samples

FAKE = Path(__file__).with_name("fake_generator.py")


class Generator:
    """The program in a folder of its own, with an engine that tells what it is given."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        engine = folder / "engine"
        engine.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "{FAKE}" "$@"\n', encoding="utf-8")
        engine.chmod(0o755)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("PRONGHORN_ENGINE", str(engine))
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.delenv("PRONGHORN_LEVEL", raising=False)
        self.behave(report=samples.REPORT)

    def behave(self, **configuration: Any) -> None:
        """Tells every engine started from now on how to behave."""
        told = json.dumps({"log": str(self.folder / "asked.json"), **configuration})
        self._monkeypatch.setenv("FAKE_GENERATOR", told)

    def reports(self, **changes: Any) -> None:
        """Tells every engine to end with the sample report, changed so."""
        self.behave(report=samples.merged(samples.REPORT, changes))

    def run(self, *arguments: str) -> Result:
        """Runs `pronghorn load` within this process."""
        return program.run(self._monkeypatch, self._capsys, "load", *arguments)

    def asked(self, *arguments: str) -> dict[str, Any]:
        """What the engine is asked for by these words."""
        result = self.run(*arguments)
        assert result.status == 0, result.stderr
        asked: dict[str, Any] = json.loads((self.folder / "asked.json").read_text(encoding="utf-8"))
        assert engine_protocol.faults("$defs/LoadSpec", asked) == []
        return asked

    def environment(self) -> dict[str, str]:
        """For the program as a process of its own."""
        return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generator:
    """A generator that behaves."""
    return Generator(tmp_path, monkeypatch, capsys)
