"""Artifacts: each trial's in a folder of its own, where the experiment asks for them."""

import json
from pathlib import Path

from pronghorn.model.artifacts import trial_name
from pronghorn.model.trial import Cell, TrialKey
from pronghorn.runs.artifacts import Artifacts

from ..laboratory import Laboratory

CAPTURES = ("--set", "artifacts=pcapng")
FAR = ("--set", "paths=far", "--jobs", "1")
"""Without the warm-up, which would use up a fault that happens once."""


def key(*, site: str = "tiny", path: str = "near", arm: str = "h2", attempt: int = 0) -> TrialKey:
    cell = Cell(site=site, path=path, origin="builtin", client="native")
    return TrialKey(cell, arm, 3, attempt)


def test_a_trials_name_is_its_identity() -> None:
    assert trial_name(key()) == "tiny,near,builtin,native,h2,block3"
    assert trial_name(key(attempt=2)) == "tiny,near,builtin,native,h2,block3,attempt2"


def test_names_are_safe_and_stay_apart() -> None:
    odd = (
        key(site="dir:/srv/shop"),
        key(site="dir:/home/shop"),
        key(arm="h2#again"),
        key(arm="h2_again"),
        key(path=".."),
        key(path="a,b"),
        key(path="a_b"),
    )
    names = [trial_name(one) for one in odd]
    assert len(set(names)) == len(odd)
    assert all(Path(name).name == name and not name.startswith(".") for name in names)
    assert names[0].startswith("shop-")


def test_loopback_has_no_capture(tmp_path: Path) -> None:
    assert Artifacts.of(tmp_path, key(path="direct"), ("pcapng",)).file("pcapng") is None
    assert Artifacts.of(tmp_path, key(), ("pcapng",)).file("pcapng") is not None
    assert Artifacts.of(tmp_path, key(), ()).file("pcapng") is None


def test_loopback_has_no_flight_but_qlogs(tmp_path: Path) -> None:
    wanted = ("flight", "qlog")
    assert Artifacts.of(tmp_path, key(path="direct"), wanted).wanted == ("qlog",)
    assert Artifacts.of(tmp_path, key(), wanted).wanted == wanted


def test_every_trial_leaves_its_flight_and_its_qlogs(laboratory: Laboratory) -> None:
    asked = ("--set", 'artifacts=["flight", "qlog"]')
    result = laboratory.run("run", "experiment.toml", "--out", "out", *asked)
    assert result.status == 0, result.stderr
    out = laboratory.folder / "out"
    trials = laboratory.trials("out")
    assert trials
    for trial in trials:
        flight = json.loads((out / trial.artifacts["flight"]).read_text())
        assert flight["interval_s"] == 0.01
        logs = {file.name for file in (out / trial.artifacts["qlog"]).iterdir()}
        assert logs == {"client-0.sqlog", "server-0.sqlog"}
    assert len({trial.artifacts["flight"] for trial in trials}) == len(trials)


def test_a_qlog_that_cannot_be_written_ends_the_run(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "qlog"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--set", 'artifacts=["qlog"]')
    assert result.status == 3
    assert "no room" in result.stderr


def test_every_trial_leaves_its_capture(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", *CAPTURES)
    assert result.status == 0, result.stderr
    out = laboratory.folder / "out"
    trials = laboratory.trials("out")
    named = {trial.artifacts["pcapng"] for trial in trials}
    assert len(named) == len(trials)
    assert named == {str(file.relative_to(out)) for file in (out / "artifacts").rglob("*") if file.is_file()}
    for trial in trials:
        assert (out / trial.artifacts["pcapng"]).read_text() == trial.arm
        assert trial.counters is not None and trial.counters.capture is not None
        assert trial.counters.capture.packets == 100
    assert 'artifacts = ["pcapng"]' in (out / "experiment.toml").read_text()


def test_without_being_asked_for_there_are_none(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    assert not (laboratory.folder / "out" / "artifacts").exists()
    assert {len(trial.artifacts) for trial in laboratory.trials("out")} == {0}


def test_a_discarded_attempts_capture_is_not_the_kept_ones(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "late", "protocol": "h3", "once": laboratory.marker("late")}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", *FAR, *CAPTURES)
    assert result.status == 0, result.stderr
    repeated = [trial for trial in laboratory.trials("out") if trial.attempt == 1]
    assert {trial.arm for trial in repeated} == {"h1", "h2", "h3"}
    for trial in repeated:
        assert trial.artifacts["pcapng"].endswith(",attempt1/path.pcapng")
    assert len({trial.artifacts["pcapng"] for trial in laboratory.trials("out")}) == len(
        laboratory.trials("out")
    )


def test_a_broken_trial_leaves_nothing(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "die", "protocol": "h3", "once": laboratory.marker("die")}])
    laboratory.run("run", "experiment.toml", "--out", "out", *FAR, *CAPTURES)
    out = laboratory.folder / "out"
    broken = [trial for trial in laboratory.trials("out") if trial.reason == "engine"]
    assert len(broken) == 1
    assert broken[0].artifacts == {}
    assert not (out / "artifacts" / trial_name(broken[0].key)).exists()


def test_a_capture_that_cannot_be_written_ends_the_run(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "capture"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", *CAPTURES)
    assert result.status == 3
    assert "cannot write it: disk full" in result.stderr


def test_incomplete_captures_are_warned_of(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "capture-slow", "protocol": "h1"}])
    laboratory.run("run", "experiment.toml", "--out", "out", *CAPTURES)
    texts = [warning["text"] for warning in laboratory.manifest("out")["warnings"]]
    assert any("6 of 18 captures lack records, 12 in all" in text for text in texts), texts


def test_an_unknown_artifact_is_refused(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--set", 'artifacts=["pcap"]')
    assert result.status == 2
    assert "pcapng" in result.stderr


def test_what_holds_secrets_is_its_owners_alone_and_all_is_while_it_is_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    one = Artifacts.of(tmp_path, key(), ("pcapng", "har", "netlog", "flight"))
    one.prepare()
    folder = tmp_path / one.folder
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in one.wanted:
        file = one.file(name)
        assert file is not None
        file.write_text("x", encoding="utf-8")
        file.chmod(0o644)
    found = one.found()
    modes = {name: (tmp_path / path).stat().st_mode & 0o777 for name, path in found.items()}
    assert modes == {"pcapng": 0o600, "har": 0o600, "netlog": 0o600, "flight": 0o644}
    assert folder.stat().st_mode & 0o777 == 0o755
