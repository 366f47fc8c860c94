"""A host's CPUs are kept awake while a run measures, and no longer."""

import struct
import subprocess
import time
from pathlib import Path

import pytest

from pronghorn.engine import locate

from . import experiments, programme
from .programme import Run

pytestmark = [pytest.mark.needs("namespaces", "engine"), pytest.mark.beside]


@pytest.mark.parametrize("wanted", [True, False])
def test_a_run_tells_whether_it_kept_them_awake(wanted: bool, tmp_path: Path) -> None:
    experiment = experiments.write(tmp_path, arms=("h2",), repeat=1)
    asked = ("--set=attempts=1", *(["--awake"] if wanted else []))
    result = programme.run("run", str(experiment), *asked, "--out", "run", folder=tmp_path)
    programme.assert_ended(result)
    assert Run(tmp_path / "run").manifest()["host"]["kept_awake"] is wanted
    assert {trial.arm for trial in Run(tmp_path / "run").trials()} == {"h2"}


def test_a_keeper_notes_the_time_that_it_uses_and_ends_with_whoever_wants_it(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    keeper = subprocess.Popen(
        [locate(), "awake", notes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with keeper:
        assert keeper.stdout is not None and keeper.stdin is not None
        assert keeper.stdout.readline() == "awake\n"
        while not noted_s(notes):
            time.sleep(0.01)
        keeper.stdin.close()
        assert keeper.wait() == 0


def noted_s(notes: Path) -> float:
    """What stands in a keeper's notes, in seconds."""
    text = notes.read_bytes()
    return float(sum(struct.unpack(f"<{len(text) // 8}Q", text))) / 1e9
