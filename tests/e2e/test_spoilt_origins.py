"""An origin that ends in mid-load, or writes a log that is none, fails its trial in its own words, and a kept
stage's next load gets a new one."""

import pytest

from pronghorn.model.trial import Trial

from .programme import Run, run

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

SERVER = """\
import os, socket, sys
listening = socket.create_server(("0.0.0.0", int(os.environ["PRONGHORN_PORT"])))
while True:
    connection, _ = listening.accept()
    connection.recv(1)
    if sys.argv[1] == "dies":
        sys.exit("out of memory")
    with open(os.environ["PRONGHORN_LOG"], "a") as log:
        log.write("this is no request\\n")
    connection.close()
"""

EXPERIMENT = """\
sites = ["tiny"]
paths = ["near"]
arms = ["h1"]
clients = ["native"]
repeat = 5
preflight = false
state = "kept"

[origins.dies]
command = "exec python3 server.py dies"

[origins.babbles]
command = "exec python3 server.py babbles"

[path.near]
down = { rate = "20Mbit", delay = "100ms" }
up = { rate = "20Mbit", delay = "100ms" }
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """The trials of a run of both, with kept state, over a path on which a busy host contaminates few of
    them."""
    folder = tmp_path_factory.mktemp("spoilt")
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    (folder / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    result = run("run", "experiment.toml", "--out", str(folder / "out"), folder=folder)
    assert result.status == 4, result.stderr
    assert "Nothing could be measured: h1 never loaded" in result.stderr
    return [trial for trial in Run(folder / "out").trials() if trial.status != "contaminated"]


def of(found: list[Trial], origin: str) -> list[Trial]:
    """The trials of one of the origins."""
    return [trial for trial in found if trial.cell.origin == origin]


def test_an_origin_that_ends_in_mid_load_is_the_reason_with_its_last_lines(found: list[Trial]) -> None:
    trials = of(found, "dies")
    assert len(trials) >= 2
    assert {(trial.status, trial.reason, trial.visit) for trial in trials} == {("failed", "origin", 0)}
    for trial in trials:
        assert "dies ended with status 1 during the load; the client saw: " in str(trial.detail)
        assert "out of memory" in str(trial.detail)


def test_a_log_that_is_none_fails_its_trial_and_not_the_run(found: list[Trial]) -> None:
    trials = of(found, "babbles")
    assert len(trials) >= 2
    assert {(trial.status, trial.reason, trial.visit) for trial in trials} == {("failed", "origin", 0)}
    assert "line 1 of babbles's log is no request" in str(trials[0].detail)
