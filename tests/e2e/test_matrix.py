"""Every origin with every client over every protocol, in one experiment: what was asked for is what is
measured."""

from collections import Counter
from pathlib import Path

import pytest

from pronghorn.model import arrivals
from pronghorn.model.trial import Trial

from . import experiments, programme
from .programme import Run

pytestmark = [
    pytest.mark.needs("namespaces", "engine", "chromium", "nginx", "caddy", "haproxy"),
    pytest.mark.beside,
]

ORIGINS = ("builtin", "nginx", "caddy", "haproxy")
CLIENTS = ("native", "chromium")
ARMS = ("h1", "h2", "h3")
REQUESTS = 21
"""The site `small`: a document, ten scripts and ten images."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the runs are."""
    return tmp_path_factory.mktemp("matrix")


@pytest.fixture(scope="module")
def trials(folder: Path) -> list[Trial]:
    """The loads of one block of every cell, of more where a busy host left an arm without one."""
    experiment = experiments.write(folder, arms=ARMS, repeat=1, sites=("small",))
    cells = (
        f"--set=origins={','.join(ORIGINS)}",
        f"--set=clients={','.join(CLIENTS)}",
        "--set=artifacts=arrivals",
    )
    return programme.load_every_arm(str(experiment), *cells, arms=ARMS, folder=folder).loads


def test_every_origin_meets_every_client_over_every_protocol(trials: list[Trial]) -> None:
    measured = {(trial.cell.origin, trial.cell.client, trial.arm) for trial in trials}
    assert measured == {(origin, client, arm) for origin in ORIGINS for client in CLIENTS for arm in ARMS}
    assert not [(trial.key, trial.detail) for trial in trials if trial.status == "failed"]


def test_each_request_bears_the_asked_protocol_at_the_client_and_in_the_servers_log(
    trials: list[Trial],
) -> None:
    for trial in trials:
        assert trial.page is not None
        seen = Counter(
            (resource.path, resource.protocol, resource.status) for resource in trial.page.resources
        )
        assert seen.total() == REQUESTS, trial.key
        assert {protocol for _, protocol, _ in seen} == {trial.arm}, trial.key
        logged = Counter((request.path, request.protocol, request.status) for request in trial.origin_log)
        assert logged == seen, trial.key


def test_each_origin_sends_the_same_bytes(trials: list[Trial]) -> None:
    bodies = {
        (trial.cell.client, tuple(sorted((one.path, one.bytes) for one in trial.page.resources)))
        for trial in trials
        if trial.page is not None
    }
    assert len({sizes for _, sizes in bodies}) == 1


def test_the_path_sees_the_same_of_each_pair_decrypted(trials: list[Trial], folder: Path) -> None:
    paths = {one.path for one in trials[0].page.resources} if trials[0].page else set()
    runs = [(one, trial) for one in sorted(folder.glob("found-*")) for trial in Run(one).trials()]
    loaded = [(one, trial) for one, trial in runs if trial.page is not None and trial.page.outcome == "ok"]
    assert loaded
    for one, trial in loaded:
        told = arrivals.read(one / trial.artifacts["arrivals"])
        assert told.missing_records == 0
        assert [connection.undecrypted for connection in told.connections if connection.undecrypted] == []
        asked = [stream for connection in told.connections for stream in connection.streams]
        assert {stream.path for stream in asked} == paths, trial.key
        spoken = {connection.protocol for connection in told.connections if connection.streams}
        assert spoken == {trial.arm}, trial.key
