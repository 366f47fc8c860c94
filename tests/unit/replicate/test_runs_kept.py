"""Every run that is kept in the tree passes the bounds whole."""

from pathlib import Path

import pytest

from pronghorn.model import belonging
from pronghorn.replicate import kept
from pronghorn.runs import directory as files
from pronghorn.runs.prepare import Request, resolve

RUNS = sorted((Path(__file__).parents[3] / "docs" / "replications" / "runs").iterdir())


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_nothing_of_a_kept_run_is_left_out(run: Path) -> None:
    belongs = belonging.of(resolve(Request(str(run / files.EXPERIMENT))))
    lines = (run / kept.TRIALS).read_text(encoding="utf-8").count("\n")
    trials = kept.trials(run)
    assert len(trials) == lines - 1
    assert [strange for one in trials if (strange := belongs(one))] == []
    notes, warnings = files.read_manifest(run)
    assert (bool(notes), warnings) == (True, [])
