"""The examples of docs/own-stack.md, run as they stand there."""

from pathlib import Path

import pytest

from pronghorn.model.trial import Trial

from . import guide
from .programme import Run, run

pytestmark = pytest.mark.beside


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the guide shows, and this Python's programs on PATH."""
    guide.write(tmp_path)
    monkeypatch.setenv("PATH", guide.PATH)
    return tmp_path


def measured(folder: Path, experiment: str) -> list[Trial]:
    """The trials of one of the guide's experiments, those on a crowded host too: who served what over which
    protocol can be read off them as well."""
    out = folder / "out"
    asked = ("--set=attempts=1", "--set=preflight=false")
    result = run("run", experiment, *asked, "--out", str(out), folder=folder)
    assert result.status in (0, 4), result.stderr
    return [trial for trial in Run(out).trials() if trial.page is not None]


def test_the_guides_server_fits_into_fifteen_lines(examples: Path) -> None:
    code = [line for line in (examples / "app.py").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(code) <= 15


@pytest.mark.needs("engine", "namespaces")
def test_the_guides_server_serves_every_protocol_and_proves_it(examples: Path) -> None:
    found = measured(examples, "hypercorn.toml")
    assert {trial.arm for trial in found} == {"h1", "h2", "h3"}
    for trial in found:
        assert trial.status != "failed", trial.detail
        assert trial.origin_log_kept
        assert [(each.path, each.protocol) for each in trial.origin_log] == [("/", trial.arm)]
        assert trial.metrics.protocols == {trial.arm: 1}


@pytest.mark.needs("engine", "namespaces")
def test_the_guides_client_loads_the_page_and_proves_it(examples: Path) -> None:
    found = measured(examples, "stdlib.toml")
    assert found
    for trial in found:
        assert trial.status != "failed", trial.detail
        assert trial.cell.client == "stdlib"
        assert trial.metrics.load_s is not None and trial.metrics.load_s >= 0.3
        assert [(each.path, each.protocol) for each in trial.origin_log] == [("/", "h1")]


FAILING = """\
sites = ["tiny"]
paths = ["near"]
arms = ["h1"]
repeat = 1

[clients.broken]
command = "echo gone wrong >&2; exit 3"

[clients.silent]
command = ["true"]

[clients.missing]
command = ["./no-such-program"]

[clients.native]

[origins.builtin]

[origins.ended]
command = "echo no certificate >&2; exit 4"

[path.near]
down = { delay = "1ms" }
up = { delay = "1ms" }
"""


@pytest.mark.needs("engine", "namespaces")
def test_a_command_that_fails_makes_its_trial_fail_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "failing.toml").write_text(FAILING, encoding="utf-8")
    said = {
        (trial.cell.origin, trial.cell.client): f"{trial.page.reason}: {trial.page.detail}"
        for trial in measured(tmp_path, "failing.toml")
        if trial.page is not None
    }
    assert "client: broken ended with status 3; its last lines:\ngone wrong" in said["builtin", "broken"]
    assert "client: silent: it wrote no result" in said["builtin", "silent"]
    assert "client: missing could not be started: " in said["builtin", "missing"]
    for client in ("broken", "silent", "native"):
        assert "origin: ended ended with status 4 before it listened on port 443" in said["ended", client]
        assert "no certificate" in said["ended", client]
