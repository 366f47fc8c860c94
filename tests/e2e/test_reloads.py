"""Servers that are reloaded in the middle of a load: the built-in origin loses no request over any protocol,
and what nginx loses is counted and charged to the reload."""

from pathlib import Path

import pytest

from pronghorn.execute import events
from pronghorn.model.trial import Trial

from . import programme
from .programme import Loaded
from .reloaded import ARMS, CONNECTIONS, EXPERIMENT, RELOADS

pytestmark = [pytest.mark.needs("engine", "namespaces", "nginx"), pytest.mark.beside]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """Every arm's load at both origins."""
    folder: Path = tmp_path_factory.mktemp("reloads")
    (folder / "reloads.toml").write_text(EXPERIMENT, encoding="utf-8")
    found = programme.load_every_arm(
        "reloads.toml", "--jobs=6", arms=ARMS, folder=folder, enough=was_reloaded
    )
    return [trial for trial in found.loads if len(trial.events) == RELOADS]


def was_reloaded(found: Loaded) -> bool:
    """Whether every arm at both origins has a load with all reloads."""
    whole = {(one.cell.origin, one.arm) for one in found.loads if len(one.events) == RELOADS}
    return len(whole) == 2 * len(ARMS)


def test_the_built_in_origin_loses_no_request(trials: list[Trial]) -> None:
    ours = [trial for trial in trials if trial.cell.origin == "builtin"]
    assert {trial.arm for trial in ours} == set(ARMS)
    for trial in ours:
        assert trial.page is not None and trial.page.report is not None
        report = trial.page.report
        assert report.requests.succeeded > 0, trial.key
        assert set(report.requests.failed) <= {events.CUT}, (trial.key, report.failures)
        assert report.connections.established > CONNECTIONS, trial.key


def test_what_nginx_loses_is_charged_to_a_reload(trials: list[Trial]) -> None:
    theirs = [trial for trial in trials if trial.cell.origin == "nginx"]
    assert {trial.arm for trial in theirs} == set(ARMS)
    for trial in theirs:
        assert trial.page is not None and trial.page.report is not None
        report = trial.page.report
        assert report.connections.established > CONNECTIONS, trial.key
        failed = {kind: number for kind, number in report.requests.failed.items() if kind != events.CUT}
        assert sum(event.losses for event in trial.events) == sum(failed.values()), trial.key
        assert [event.do for event in trial.events] == ["reload"] * RELOADS
