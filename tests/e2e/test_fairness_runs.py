"""Warnings of whole runs, on the terminal, in the manifest and in the report."""

import json
import sys
from pathlib import Path

import pytest

from pronghorn.host import loopback

from . import programme
from .benches import PROGRAMS
from .experiments import NEAR
from .programme import Run

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]


def warned(folder: Path, code: str, text: str, about: str = "") -> tuple[str, Run]:
    """The words of the one warning of that code, and with `about` in its text, in a run of the experiment,
    and the run."""
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    asked = ("--set", "preflight=false")
    result = programme.run("run", "experiment.toml", *asked, "--verbose", "--out", "found", folder=folder)
    assert result.status in (0, 4), result.stderr
    run = Run(folder / "found")
    told = [one for one in run.manifest()["warnings"] if one["code"] == code]
    [warning] = [one for one in told if about in one["text"]]
    said = " ".join(result.stdout.split())
    for words in (warning["text"], warning["remedy"]):
        assert words in said
    assert warning["text"].partition(" ")[0] in run.report()
    return str(warning["text"]), run


def test_a_server_that_sets_bbr_itself_is_named_where_no_route_keeps_it_from_it(tmp_path: Path) -> None:
    """What is wrong then is the arm whose server runs another control than this machine gives."""
    words = [sys.executable, "-I", "-S", str(PROGRAMS / "odd_origin.py"), "control", "bbr"]
    text, run = warned(
        tmp_path,
        "default-bbr",
        'sites = ["tiny"]\npaths = ["direct"]\narms = ["h1", "h1#odd"]\nrepeat = 1\nseed = 1\n'
        f'[origins.mine]\ncommand = {json.dumps(words)}\nprotocols = ["h1"]\n',
        about="the origin ran bbr (Linux ",
    )
    assert text.startswith("h1#odd on tiny/direct/mine/native leaves congestion control to its stack")
    failed = {(trial.arm, trial.reason) for trial in run.trials() if trial.status == "failed"}
    wrong = {"cubic": {"h1#odd"}, "bbr": {"h1"}}.get(loopback.of_host(), {"h1", "h1#odd"})
    assert failed == {(arm, "congestion-control") for arm in wrong}


def test_windows_that_fall_back_in_pauses_are_named_where_clients_are_kept(tmp_path: Path) -> None:
    text, run = warned(
        tmp_path,
        "idle-restart",
        'sites = ["tiny"]\npaths = ["near"]\narms = ["h2", "h3"]\nrepeat = 2\nseed = 1\nstate = "kept"\n'
        f"{NEAR}",
    )
    assert "the windows of h2 fall back" in text
    [cell] = run.manifest()["fairness"]
    rows = {row["setting"]: row for row in cell["rows"]}
    control = rows["congestion control, from origin to client"]
    assert control["by_arm"]["h2"].startswith("cubic (Linux ")
    assert control["by_arm"]["h3"].startswith("cubic (quinn-proto 0.11.")
    assert control["equal"]
    assert "What the arms ran with" in run.report()
