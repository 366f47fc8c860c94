"""What can be done to each server in a load: done, seen by connections, and every loss charged to it."""

from pathlib import Path

import pytest

from pronghorn.model.trial import Trial
from tests.e2e import programme
from tests.e2e.programme import Loaded
from tests.e2e.reloaded import ARMS, CONNECTIONS, EXPERIMENT

pytestmark = pytest.mark.needs("engine", "namespaces", "nginx", "caddy", "haproxy")

CASES = {
    "reload": ("builtin", "nginx", "nginx@1.26", "caddy", "haproxy", "haproxy@3.0"),
    "restart": ("nginx", "caddy", "haproxy"),
    "kill-worker": ("nginx",),
}


@pytest.mark.parametrize("do", CASES)
def test_an_event_is_done_and_what_it_costs_is_counted(tmp_path: Path, do: str) -> None:
    origins = CASES[do]

    def enough(found: Loaded) -> bool:
        return len({(one.cell.origin, one.arm) for one in found.loads if one.events}) == len(ARMS) * len(
            origins
        )

    text = EXPERIMENT.replace('do = "reload"', f'do = "{do}"').replace('every = "1s"', 'every = "5s"')
    text = text.replace('duration = "3s"', 'duration = "12s"').replace('limit = "8s"', 'limit = "20s"')
    (tmp_path / "events.toml").write_text(text, encoding="utf-8")
    found = programme.load_every_arm(
        "events.toml", f"--set=origins={','.join(origins)}", arms=ARMS, folder=tmp_path, enough=enough
    )
    done = [trial for trial in found.loads if trial.events]
    assert {trial.cell.origin for trial in done} == set(origins)
    for trial in done:
        _assert_charged(trial)
        if trial.cell.origin == "builtin":
            assert not any(event.losses for event in trial.events), trial.key


def _assert_charged(trial: Trial) -> None:
    assert trial.page is not None and trial.page.report is not None
    report = trial.page.report
    assert report.requests.succeeded > 0, trial.key
    assert report.connections.established > CONNECTIONS, trial.key
    failed = sum(number for kind, number in report.requests.failed.items() if kind != "cut")
    assert sum(event.losses for event in trial.events) == failed, trial.key
