"""The doctor names what a host lacks, and the mend."""

import os
from io import StringIO
from pathlib import Path

import pytest

from pronghorn import doctor
from pronghorn.guest import kernels
from pronghorn.terminal import Terminal


def host(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def findings(root: Path) -> dict[str, doctor.Finding]:
    return {finding.subject: finding for finding in doctor.examine(root)}


@pytest.fixture(autouse=True)
def no_kernels(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No guests: their first process would be the stand-in of an engine."""
    monkeypatch.setenv(kernels.OVERRIDE, os.fspath(tmp_path_factory.mktemp("kernels")))


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the engine, which answers hello with isolation none."""
    program = tmp_path / "engine"
    answer = (
        '{"id": 1, "ok": {"version": "1.2", "isolation": "none", '
        '"isolation_reason": "denied by policy", "mend": "be root"}}'
    )
    program.write_text(f"#!/bin/sh\nread line\necho '{answer}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PRONGHORN_ENGINE", os.fspath(program))
    return program


def test_a_host_without_a_tun_device_is_told_how_to_get_one(tmp_path: Path) -> None:
    found = findings(tmp_path)["/dev/net/tun"]
    assert (found.state, found.detail) == ("missing", "does not exist")
    assert found.mend is not None
    assert "modprobe tun" in found.mend
    assert "--device /dev/net/tun" in found.mend


def test_a_kernel_without_ipv6_is_noted(tmp_path: Path) -> None:
    without = findings(tmp_path)["IPv6"]
    assert (without.state, "family = 6" in without.detail) == ("note", True)
    assert without.mend is not None and "--clock virtual" in without.mend
    assert findings(host(tmp_path, {"proc/sys/net/ipv6/conf/all/forwarding": "0"}))["IPv6"].state == "ok"


@pytest.mark.parametrize(
    ("file", "value", "mend"),
    [
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_a_setting_against_user_namespaces_is_named_with_its_mend(
    tmp_path: Path, file: str, value: str, mend: str
) -> None:
    found = findings(host(tmp_path, {f"proc/sys/{file}": value}))["user namespaces"]
    assert found.state == "note"
    assert found.mend == f"as root: sysctl -w {mend}"


def test_a_kernel_without_bbr_is_told_the_module(tmp_path: Path) -> None:
    files = {"proc/sys/net/ipv4/tcp_available_congestion_control": "reno cubic\n"}
    found = findings(host(tmp_path, files))["TCP congestion control"]
    assert found.state == "note"
    assert found.mend == "as root: modprobe tcp_bbr"


def test_receive_buffers_below_the_usual_are_noted_with_the_mend(tmp_path: Path) -> None:
    files = {"proc/sys/net/core/rmem_default": "212992\n", "proc/sys/net/core/rmem_max": "212992\n"}
    assert findings(host(tmp_path, files))["UDP buffers"].state == "ok"
    found = findings(host(tmp_path, {"proc/sys/net/core/rmem_default": "65536\n"}))["UDP buffers"]
    assert found.state == "note"
    assert found.mend is not None
    assert "net.core.rmem_default=" in found.mend


def test_a_governor_that_saves_power_is_noted(tmp_path: Path) -> None:
    governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    assert findings(host(tmp_path, {governor: "powersave\n"}))["CPU governor"].state == "note"
    assert findings(host(tmp_path, {governor: "performance\n"}))["CPU governor"].state == "ok"


def test_a_host_short_of_memory_is_noted(tmp_path: Path) -> None:
    found = findings(host(tmp_path, {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 500000 kB\n"}))["memory"]
    assert (found.state, found.detail) == ("note", "0.5 GB available")


def test_the_engines_own_reason_and_mend_are_passed_on_and_the_status_is_3(
    tmp_path: Path, engine: Path
) -> None:
    assert engine.exists()
    page = StringIO()
    assert doctor.main(Terminal(file=page, width=200), tmp_path) == 3
    text = page.getvalue()
    assert "version 1.2" in text
    assert "denied by policy; only path 'direct' works" in text
    assert "fix: be root" in text
    assert doctor.lacks_engine() is None
    assert doctor.lacks_namespaces() == "be root"


@pytest.mark.parametrize("script", ["exit 1", "read line; echo nonsense", "read line; echo '{\"id\": 1}'"])
def test_an_engine_that_does_not_answer_is_missing(engine: Path, script: str) -> None:
    engine.write_text(f"#!/bin/sh\n{script}\n")
    assert doctor.lacks_engine() == "Rebuild it with 'make build'."
    assert findings(Path("/"))["engine"].state == "missing"
