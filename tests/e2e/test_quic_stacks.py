"""A run whose arms are on two QUIC stacks."""

import json
from pathlib import Path
from typing import Any

import pytest

from . import programme
from .programme import Run
from .virtual_runs import LONG, LOSSY, experiment, lines

pytestmark = [pytest.mark.needs("engine", "guest"), pytest.mark.beside]


def test_a_run_on_both_stacks_is_whole_and_the_same_twice(tmp_path: Path) -> None:
    """Over 2 % of loss every load comes to its end. With the same seed all that a run records is the same."""
    arms = ["h3", "h3:s2n", "h3:s2n@bbr2"]
    asked = str(
        experiment(
            tmp_path, LONG + LOSSY, sites=["tiny", "small"], paths=["long", "lossy"], arms=arms, repeat=1
        )
    )
    runs = []
    for name in ("one", "two"):
        done = programme.run("run", asked, "--out", name, folder=tmp_path)
        assert done.status == 0, done.stderr
        runs.append(tmp_path / name)
    assert lines(runs[0]) == lines(runs[1])
    trials = Run(runs[0]).trials()
    assert {trial.status for trial in trials} == {"ok"}
    assert {_stacks(line) for line in lines(runs[0])[1:]} == {
        ("h3", "quinn", "cubic"),
        ("h3:s2n", "s2n", "cubic"),
        ("h3:s2n@bbr2", "s2n", "bbr2"),
    }
    manifest = json.loads((runs[0] / "manifest.json").read_text(encoding="utf-8"))
    assert "s2n-quic" in json.dumps(manifest)


def _stacks(record: dict[str, Any]) -> tuple[str, str, str]:
    """A trial's arm, and what its client's connection ran."""
    (connection,) = record["page"]["connections"]
    return record["arm"], connection["settings"]["stack"], connection["congestion_control"]
