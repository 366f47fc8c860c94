"""The doctor says which servers, browsers and tools are here and whether they have HTTP/3; what lacks has a
mend, and the default experiment does without it."""

import json
import os
import platform
from pathlib import Path

import pytest

from pronghorn import doctor
from pronghorn.doctor import programs
from pronghorn.engine import EngineDied
from pronghorn.guest import kernels
from pronghorn.guest import program as guests


def program(file: Path, said: str) -> Path:
    """A program that says one thing, whatever it is asked."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\n")
    file.chmod(0o755)
    return file


def found() -> dict[str, doctor.Finding]:
    return {finding.subject: finding for finding in programs.findings()}


def test_a_server_with_http3_is_ok_with_its_version_and_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "nginx version: nginx/1.29.3\nconfigure arguments: --with-http_v3_module"
    nginx = program(tmp_path / "nginx", said)
    monkeypatch.setenv("PRONGHORN_NGINX", os.fspath(nginx))
    finding = found()["origin nginx"]
    assert finding.state == "ok"
    assert finding.detail.startswith("1.29.3 with HTTP/3 (http_v3_module), ")
    assert os.fspath(nginx) in finding.detail


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("nginx version: nginx/1.22.1\nhttp_v3_module", "1.22.1, older than 1.26"),
        ("nginx version: nginx/1.28.0", "built without HTTP/3 (http_v3_module)"),
    ],
)
def test_a_server_without_http3_is_noted_with_why_and_the_mend(
    said: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRONGHORN_NGINX", os.fspath(program(tmp_path / "nginx", said)))
    finding = found()["origin nginx"]
    assert finding.state == "note"
    assert why in finding.detail
    assert finding.mend


@pytest.mark.parametrize(
    ("version", "state"), [("Chromium 140.0.7339.80", "ok"), ("Chromium 90.0.4430.212", "note")]
)
def test_a_browser_is_as_good_as_its_http3(
    version: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRONGHORN_CHROMIUM", os.fspath(program(tmp_path / "chromium", version)))
    finding = found()["client chromium"]
    assert finding.state == state
    assert version in finding.detail


def test_ubuntus_wrapper_of_a_snap_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "bin" / "chromium-browser"
    program(script, 'exec /snap/bin/chromium "$@"')
    monkeypatch.delenv("PRONGHORN_CHROMIUM", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", os.fspath(tmp_path))
    monkeypatch.setenv("PATH", os.fspath(script.parent))
    finding = found()["client chromium"]
    assert finding.state == "note"
    assert "only starts a snap" in finding.detail
    assert finding.mend is not None
    assert "playwright install chromium" in finding.mend


def test_missing_programs_are_notes_for_the_default_experiment_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NGINX", "CADDY", "HAPROXY", "CHROMIUM"):
        monkeypatch.setenv(f"PRONGHORN_{name}", os.fspath(tmp_path / "nothing"))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    findings = found()
    assert all(findings[name].state == "note" for name in ("origin nginx", "client chromium", "tshark"))
    assert all(finding.mend for finding in findings.values() if finding.state == "note")
    assert not [finding for finding in findings.values() if finding.state == "missing"]


def test_as_json_the_findings_are_one_object(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert doctor.main(root=tmp_path, as_json=True) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["ready"] is False
    (tun,) = [finding for finding in told["findings"] if finding["subject"] == "/dev/net/tun"]
    assert (tun["state"], tun["detail"]) == ("missing", "does not exist")
    assert "modprobe tun" in tun["mend"]


@pytest.fixture
def a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of a kernel that is none."""
    monkeypatch.setenv(kernels.OVERRIDE, os.fspath(tmp_path))
    monkeypatch.setattr(platform, "machine", lambda: kernels.MACHINE)
    place = kernels.place("6.12")
    place.mkdir()
    (place / kernels.RECORD).write_text(json.dumps({"release": "6.12.1"}))
    return program(place / kernels.PROGRAM, "panic")


@pytest.mark.usefixtures("a_kernel")
def test_no_guest_is_tried_with_an_engine_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRONGHORN_ENGINE", "/bin/true")
    finding = found()["virtual time"]
    assert finding.state == "note"
    assert finding.detail.startswith("not tried")


def test_a_guest_that_does_not_end_is_given_up(a_kernel: Path) -> None:
    a_kernel.write_text("#!/bin/sh\nexec sleep 1000\n")
    (kernel,) = kernels.built()
    with pytest.raises(EngineDied, match="did not end within 0 s"):
        guests.output(kernel, 1, ["true"], within_s=0.1)


@pytest.mark.usefixtures("a_kernel")
def test_a_guests_kernel_that_does_not_start_is_named() -> None:
    finding = found()["virtual time"]
    assert (finding.state, finding.mend) == ("note", kernels.NEWER)
    assert "Linux 6.12.1 (" in finding.detail
