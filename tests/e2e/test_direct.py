"""Where the host denies namespaces, the default experiment goes over loopback and says so everywhere; a path
that was asked for by name does not."""

from pathlib import Path

import pytest

from . import experiments, programme
from .programme import Run

pytestmark = [pytest.mark.needs("engine"), pytest.mark.beside]

LABEL = "no emulated network on this host"
DENIED = "PRONGHORN_ISOLATION"


def test_the_default_experiment_falls_back_and_says_so_everywhere(tmp_path: Path) -> None:
    result = programme.run(
        *("run", "--out", "found", "--set", "repeat=2", "--set", "sites=tiny"),
        folder=tmp_path,
        env=programme.environment(**{DENIED: "none"}),
    )

    assert result.status == 0, result.stderr
    run = Run(tmp_path / "found")
    assert [(cell.path, sorted(cell.arms)) for cell in run.summary().cells] == [
        ("direct", ["h1", "h2", "h3"])
    ]
    assert {trial.status for trial in run.trials()} == {"ok"}
    for place, text in {
        "stdout": result.stdout,
        "summary": run.summary().label or "",
        "report": run.report(),
        "manifest": run.manifest()["label"],
    }.items():
        assert LABEL in text, place
    assert f"unset {DENIED}" in " ".join(result.stdout.split()), "the mend"


def test_a_path_asked_for_by_name_is_refused_with_the_mend(tmp_path: Path) -> None:
    experiment = experiments.write(tmp_path, arms=["h2", "h3"], repeat=2)
    result = programme.run(
        *("run", str(experiment), "--out", "found"),
        folder=tmp_path,
        env=programme.environment(**{DENIED: "none"}),
    )

    assert result.status == 3
    assert "near" in result.stderr
    assert f"unset {DENIED}" in result.stderr
    assert not (tmp_path / "found").exists()
