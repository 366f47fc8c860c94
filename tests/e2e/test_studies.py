"""The studies' experiments run, on their quick cells."""

from pathlib import Path

import pytest

from pronghorn.model.trial import Trial

from . import programme
from .programme import Run

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 2

FAR = "minnesota-london"
"""Early data leaves early on a busy host too where that delays it by less than the round trip of 128 ms."""


def run(name: str, folder: Path, **overrides: str) -> list[Trial]:
    """The trials of a study's experiment at two blocks, those on a busy host too: what was loaded, and over
    what, can be read off them as well."""
    sets = [f"--set={key}={value}" for key, value in {"repeat": str(BLOCKS), **overrides}.items()]
    result = programme.run("run", name, "--out", "found", *sets, folder=folder)
    assert result.status == 0, result.stderr
    trials = [trial for trial in Run(folder / "found").trials() if trial.page is not None]
    assert not [(trial.key, trial.detail) for trial in trials if trial.status == "failed"]
    return trials


def assert_early_data_of_zero_rtt_alone(trials: list[Trial]) -> None:
    """Some first loads of h3+0rtt sent early data: where a busy host delays a request by a round trip it
    leaves after the handshake. No other load did."""
    early = {
        trial.arm
        for trial in trials
        if trial.page and "accepted" in {one.early_data for one in trial.page.connections}
    }
    assert early == {"h3+0rtt"}


@pytest.mark.needs("nginx")
def test_kiwee(tmp_path: Path) -> None:
    trials = run("kiwee", tmp_path, paths="wroclaw-lte")
    assert {trial.arm for trial in trials} == {"h2", "h3"}
    for trial in trials:
        assert trial.visit == 0
        assert (trial.cell.site, trial.cell.origin, trial.cell.client) == ("cms", "nginx", "chromium")
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {trial.arm}


@pytest.mark.needs("caddy")
def test_request_metrics_in_one_kept_browser(tmp_path: Path) -> None:
    trials = run("requestmetrics", tmp_path, sites="small", paths=FAR, pause="100ms")
    assert {trial.arm for trial in trials} == {"h1+tls12", "h2+tls12", "h3+0rtt"}
    for trial in trials:
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {trial.arm[:2]}
        shook_hands = trial.page.tls_s is not None
        assert shook_hands == (trial.visit == 0), "only a stage's first load opens connections"
    assert_early_data_of_zero_rtt_alone(trials)
    assert {trial.arm for trial in trials if trial.visit} == {"h1+tls12", "h2+tls12", "h3+0rtt"}


@pytest.mark.needs("caddy")
def test_request_metrics_with_fresh_state(tmp_path: Path) -> None:
    trials = run("requestmetrics-fresh", tmp_path, sites="small", paths=FAR)
    assert {trial.arm for trial in trials} == {"h1+tls12", "h2+tls12", "h3+0rtt"}
    for trial in trials:
        assert trial.visit == 0
        assert trial.page is not None
        versions = {connection.tls_version for connection in trial.page.connections}
        assert versions == {"1.3" if trial.arm == "h3+0rtt" else "1.2"}
    assert_early_data_of_zero_rtt_alone(trials)
