"""The studies' experiments run, on their quick cells."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pronghorn.model.trial import Trial

from ..e2e import programme

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 2

REQUEST_METRICS = ("h1+tls12", "h2+tls12", "h3+0rtt")

FAR = "minnesota-london"
"""Early data leaves early on a busy host too where that delays it by less than the round trip of 128 ms."""


def run(
    name: str,
    folder: Path,
    arms: Sequence[str],
    enough: Callable[[list[Trial]], bool] = lambda _: True,
    **overrides: str,
) -> list[Trial]:
    """The loads of a study's experiment at two blocks, of more where a busy host left an arm without one or
    not `enough`; none of them failed."""
    sets = [f"--set={key}={value}" for key, value in {"repeat": str(BLOCKS), **overrides}.items()]
    found = programme.load_every_arm(
        name, *sets, arms=arms, folder=folder, enough=lambda found: enough(found.loads)
    )
    assert not [(trial.key, trial.detail) for trial in found.loads if trial.status == "failed"]
    return found.loads


def early(trials: list[Trial]) -> set[str]:
    """The arms of which some loads sent early data: where a busy host delays a request by a round trip it
    leaves after the handshake."""
    return {
        trial.arm
        for trial in trials
        if trial.page and "accepted" in {one.early_data for one in trial.page.connections}
    }


def later(trials: list[Trial]) -> set[str]:
    """The arms of which a kept client has made more than a load."""
    return {trial.arm for trial in trials if trial.visit}


@pytest.mark.needs("nginx@1.26")
def test_kiwee(tmp_path: Path) -> None:
    trials = run("kiwee", tmp_path, ("h2", "h3"), paths="wroclaw-lte")
    assert {trial.arm for trial in trials} == {"h2", "h3"}
    for trial in trials:
        assert trial.visit == 0
        assert (trial.cell.site, trial.cell.origin, trial.cell.client) == ("cms", "nginx@1.26", "chromium")
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {trial.arm}


@pytest.mark.needs("caddy")
def test_request_metrics_in_one_kept_browser(tmp_path: Path) -> None:
    trials = run(
        "requestmetrics",
        tmp_path,
        REQUEST_METRICS,
        lambda found: early(found) == {"h3+0rtt"} and later(found) == set(REQUEST_METRICS),
        sites="small",
        paths=FAR,
        pause="100ms",
    )
    assert {trial.arm for trial in trials} == set(REQUEST_METRICS)
    for trial in trials:
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {trial.arm[:2]}
        shook_hands = trial.page.tls_s is not None
        assert shook_hands == (trial.visit == 0), "only a stage's first load opens connections"
    assert early(trials) == {"h3+0rtt"}
    assert later(trials) == set(REQUEST_METRICS)


@pytest.mark.needs("caddy")
def test_request_metrics_with_fresh_state(tmp_path: Path) -> None:
    trials = run(
        "requestmetrics-fresh",
        tmp_path,
        REQUEST_METRICS,
        lambda found: early(found) == {"h3+0rtt"},
        sites="small",
        paths=FAR,
    )
    assert {trial.arm for trial in trials} == set(REQUEST_METRICS)
    for trial in trials:
        assert trial.visit == 0
        assert trial.page is not None
        versions = {connection.tls_version for connection in trial.page.connections}
        assert versions == {"1.3" if trial.arm == "h3+0rtt" else "1.2"}
    assert early(trials) == {"h3+0rtt"}
