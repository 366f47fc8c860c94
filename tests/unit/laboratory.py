"""A laboratory with a fake engine: runs without namespaces, through the real command line."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from pronghorn.model.trial import Trial

from .. import overheard
from . import program
from .program import Result

FAKE = Path(__file__).with_name("fake_engine.py")

EXPERIMENT = """\
name = "Fake"
sites = ["tiny"]
paths = ["near", "far"]
arms = ["h1", "h2", "h3"]
repeat = 3
seed = 7

[path.near]
down = { rate = "1Gbit", delay = "500us" }
up = { rate = "1Gbit", delay = "500us" }

[path.far]
down = { rate = "20Mbit", delay = "75ms", loss = "15%", queue = "256kB" }
up = { rate = "10Mbit", delay = "75ms", queue = "256kB" }
"""


class Laboratory:
    """The program `pronghorn` in a folder of its own, with a fake engine that behaves as told."""

    def __init__(
        self,
        folder: Path,
        transcript: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.folder = folder
        self._transcript = transcript
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        engine = folder / "engine"
        # Imported, it is compiled once and not at each of its many starts.
        starts = (
            f"import sys; sys.path.insert(0, {str(FAKE.parents[2])!r}); "
            f"from tests.unit import {FAKE.stem} as fake; fake.main({str(transcript)!r})"
        )
        engine.write_text(
            f"#!/bin/sh\nexec {sys.executable} -S -E -c {shlex.quote(starts)}\n", encoding="utf-8"
        )
        engine.chmod(0o755)
        monkeypatch.chdir(folder)
        monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
        monkeypatch.setenv("PRONGHORN_ENGINE", str(engine))
        monkeypatch.setenv("TMPDIR", str(folder))
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        self.write("experiment.toml", EXPERIMENT)

    def write(self, name: str, text: str) -> None:
        """Writes a file of the folder."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def behave(self, **configuration: Any) -> None:
        """Tells every engine started from now on how to behave."""
        self._monkeypatch.setenv("FAKE_ENGINE", json.dumps(configuration))

    def said(self) -> list[overheard.Exchange]:
        """What the engines were asked and have answered, whichever process asked them."""
        texts = [file.read_text(encoding="utf-8") for file in self._transcript.iterdir()]
        whole = dict.fromkeys(line for text in texts for line in text.split("\n")[:-1])
        return [(request, answer) for request, answer in map(json.loads, whole)]

    def marker(self, name: str) -> str:
        """A file for a rule's `once`."""
        return str(self.folder / f"{name}.once")

    def run(self, *arguments: str) -> Result:
        """Runs the program within this process."""
        return program.run(self._monkeypatch, self._capsys, *arguments)

    def command(self, *arguments: str) -> list[str]:
        """The program as a process of its own."""
        return [sys.executable, "-m", "pronghorn", *arguments]

    def environment(self) -> dict[str, str]:
        """Its environment."""
        return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts the program as a process of its own."""
        return subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
        )

    def requests(self, log: Path) -> list[dict[str, Any]]:
        """The requests which the engines noted in `log`."""
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    def trials(self, run: str) -> list[Trial]:
        """The trials in a run's journal, read without the program's own reader."""
        lines = (self.folder / run / "trials.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        return [Trial.model_validate(record) for record in records if record["type"] == "trial"]

    def manifest(self, run: str) -> dict[str, Any]:
        """A run's manifest."""
        manifest: dict[str, Any] = json.loads(
            (self.folder / run / "manifest.json").read_text(encoding="utf-8")
        )
        return manifest
