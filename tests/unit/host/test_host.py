"""What the host can't: exit status 3 with the mend, or `direct` where nobody asked for a path by name."""

import json
from pathlib import Path

import pytest

from pronghorn.engine import locate
from pronghorn.errors import HostError

from ..laboratory import Laboratory

DENIED = {"isolation": "none", "isolation_reason": "no /dev/net/tun", "mend": "mknod /dev/net/tun c 10 200"}


def test_the_default_experiment_falls_back_to_direct_and_says_so_everywhere(laboratory: Laboratory) -> None:
    laboratory.behave(**DENIED)
    result = laboratory.run("run", "--out", "out", "--set", "repeat=2")
    assert result.status == 0, result.stderr
    assert {trial.cell.path for trial in laboratory.trials("out")} == {"direct"}
    label = "no emulated network on this host"
    summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
    assert summary["label"] == label
    assert label in result.stdout
    assert "mknod /dev/net/tun c 10 200" in " ".join(result.stdout.split())
    assert label in Path("out/report.html").read_text(encoding="utf-8")
    [warning] = [
        one for one in laboratory.manifest("out")["warnings"] if one["code"] == "no-emulated-network"
    ]
    assert warning["remedy"] == "mknod /dev/net/tun c 10 200"
    again = laboratory.run("run", "--resume", "out")
    assert again.status == 0, again.stderr


@pytest.mark.parametrize("asked", [("experiment.toml",), ("default",), ("--set", "paths=lte")])
def test_a_path_asked_for_by_name_is_refused_with_the_mend(
    laboratory: Laboratory, asked: tuple[str, ...]
) -> None:
    laboratory.behave(**DENIED)
    result = laboratory.run("run", *asked, "--out", "out")
    assert result.status == 3
    assert "this host can't emulate a network (no /dev/net/tun)" in result.stderr
    assert "mknod /dev/net/tun c 10 200" in result.stderr
    assert not Path("out").exists()


def test_direct_can_be_asked_for_by_name_anywhere(laboratory: Laboratory) -> None:
    for behaviour in (DENIED, {"isolation": "root"}):
        laboratory.behave(**behaviour)
        out = f"out-{behaviour['isolation']}"
        result = laboratory.run("run", "experiment.toml", "--set", "paths=direct", "--out", out)
        assert result.status == 0, result.stderr
        assert "no emulated network" in result.stdout


def test_a_congestion_control_that_the_kernel_lacks_is_refused_with_the_mend(laboratory: Laboratory) -> None:
    laboratory.behave(congestion_controls=["reno", "cubic"])
    result = laboratory.run("run", "experiment.toml", "--set", "arms=h2,h2@bbr", "--out", "out")
    assert result.status == 3
    assert "no TCP congestion control 'bbr' (it has reno, cubic)" in result.stderr
    assert "modprobe tcp_bbr" in result.stderr


def test_without_an_engine_the_mend_is_named(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRONGHORN_ENGINE", str(laboratory.folder / "nowhere"))
    result = laboratory.run("run", "experiment.toml", "--out", "out")
    assert result.status == 3
    assert "nowhere: no program there." in result.stderr
    monkeypatch.delenv("PRONGHORN_ENGINE")
    monkeypatch.setattr("sys.executable", str(laboratory.folder / "python"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HostError) as caught:
        locate()
    assert "make build" in str(caught.value.hint)


def test_an_engine_of_another_architecture_is_named(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = laboratory.folder / "foreign"
    program.write_bytes(b"\x7fELF rubbish")
    program.chmod(0o755)
    monkeypatch.setenv("PRONGHORN_ENGINE", str(program))
    result = laboratory.run("run", "experiment.toml", "--out", "out")
    assert result.status == 3
    assert "foreign: can't be run: Exec format error." in result.stderr
