"""What can't be loaded ends a run at once, or at its end, with the reason and what to type."""

from pathlib import Path

import pytest

from . import experiments, programme
from .programme import Run

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

LACKING = '<!doctype html><link rel="icon" href="data:,"><img src="/pixel.gif"><title>Lacking</title>'


@pytest.fixture
def lacking(tmp_path: Path) -> Path:
    """An experiment whose page asks for what isn't there."""
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text(LACKING, encoding="utf-8")
    return experiments.write(tmp_path, arms=("h2", "h3"), repeat=2, sites=("dir:page",))


def test_a_missing_resource_ends_the_run_before_its_first_trial(lacking: Path, tmp_path: Path) -> None:
    result = programme.run("run", str(lacking), "--out", "out", folder=tmp_path)
    assert result.status == 4, result.stderr
    assert "/pixel.gif was answered 404" in result.stderr
    assert "tolerate" in result.stderr
    assert Run(tmp_path / "out").trials() == []


def test_a_run_that_goes_on_all_the_same_says_so_in_its_first_line(lacking: Path, tmp_path: Path) -> None:
    asked = ("--set=preflight=warn", "--set=attempts=1")
    result = programme.run("run", str(lacking), *asked, "--out", "out", folder=tmp_path)
    assert result.status == 4, result.stderr
    assert result.stdout.startswith("Nothing could be measured: ")
    found = Run(tmp_path / "out")
    assert "preflight" in {warning["code"] for warning in found.manifest()["warnings"]}
    assert found.report().index("Nothing could be measured") < found.report().index('id="verdicts"')
    failing = [trial for trial in found.trials() if trial.status == "failed"]
    for trial in failing:
        assert "/pixel.gif was answered 404" in str(trial.detail)
