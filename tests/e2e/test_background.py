"""A page load measured while a load runs over the same bottleneck: both share it, and their requests are told
apart."""

import pytest

from pronghorn.model.trial import Trial

from . import experiments, programme

pytestmark = [pytest.mark.needs("engine", "guest", "nginx"), pytest.mark.beside]

ARMS = ("h1", "h2", "h3")
REQUESTS = 21
"""The site `small`: a document, ten scripts and ten images."""

BACKGROUND = {"connections": 2, "streams": 1, "protocol": "h2", "lead": "300ms", "document": "/"}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """The loads of one block of every cell, of more where a busy host left an arm without one."""
    folder = tmp_path_factory.mktemp("background")
    experiment = experiments.write(folder, arms=ARMS, repeat=1, sites=("small",))
    sets = [f"--set=background.{key}={value}" for key, value in BACKGROUND.items()]
    found = programme.load_every_arm(
        *(str(experiment), "--set=origins=builtin,nginx", "--set=clock=virtual", *sets),
        arms=ARMS,
        folder=folder,
        enough=programme.has_blocks,
    )
    assert "Another load ran over the same path beside the page" in found.said
    return found.loads


def test_a_load_ran_beside_every_page(trials: list[Trial]) -> None:
    assert {(trial.cell.origin, trial.arm) for trial in trials} == {
        (origin, arm) for origin in ("builtin", "nginx") for arm in ARMS
    }
    for trial in trials:
        assert trial.status != "failed", (trial.key, trial.detail)
        assert trial.background is not None
        counts = trial.background.requests
        assert counts.succeeded > 0, trial.key
        assert counts.planned == counts.sent + counts.unsent, trial.key
        assert counts.sent == counts.succeeded + counts.failures, trial.key


def test_both_go_over_the_same_path(trials: list[Trial]) -> None:
    for trial in trials:
        assert trial.page is not None and trial.background is not None
        assert trial.counters is not None and trial.counters.down is not None
        carried = trial.page.bytes + trial.background.bytes.payload
        assert trial.counters.down.bytes_in > carried, trial.key


def test_the_origins_log_tells_the_pages_requests_from_the_loads(trials: list[Trial]) -> None:
    for trial in trials:
        assert trial.background is not None
        assert len(trial.origin_log) == REQUESTS, trial.key
        assert {one.protocol for one in trial.origin_log} == {trial.arm}, trial.key
        [count] = trial.origin_counts
        assert (count.path, count.protocol) == ("/", "h2")
        assert count.requests >= trial.background.requests.succeeded, trial.key
