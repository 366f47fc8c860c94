"""What becomes of a command whose output nobody reads to the end, of a full disk, and of a bug."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pronghorn.cli import path as path_command

from ..laboratory import Laboratory


@pytest.fixture
def ended(laboratory: Laboratory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program in a shell, with what stands behind its words there."""

    def run(behind: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        words = [*laboratory.command(*arguments)]
        return subprocess.run(
            ["bash", "-c", f'"$@" {behind}', "bash", *words],
            capture_output=True,
            text=True,
            env=laboratory.environment(),
            check=False,
        )

    return run


CLOSED = "| exec true; exit ${PIPESTATUS[0]}"
"""A pipe whose reader ends at once."""


def test_without_a_reader_the_checks_are_told_and_the_status_is_theirs(
    laboratory: Laboratory, ended: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    for check, status, words in (("h3/h2 < 100", 0, ()), ("h3/h2 < 0.01", 1, ("--markdown", "-"))):
        result = ended(CLOSED, "report", "out", "--check", check, *words)
        assert (result.returncode, "Traceback" in result.stderr) == (status, False), result.stderr
        assert f"check {'failed' if status else 'holds'}: {check}" in result.stderr
        assert "Exception ignored" not in result.stderr
    result = ended(CLOSED, "compare", "out", "out", "--check", "* is faster")
    assert result.returncode == 1
    assert "check failed: * is faster" in result.stderr


@pytest.mark.parametrize(
    "words", [("--help",), ("path", "--list"), ("man",), ("completion", "bash"), ("runs", "--help"), ()]
)
def test_without_a_reader_what_is_only_said_ends_as_ever(
    words: tuple[str, ...], ended: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    result = ended(CLOSED, *words)
    assert (result.returncode, result.stderr) == (0 if words else 2, "")


def test_a_run_goes_on_without_a_reader_of_either_stream(
    laboratory: Laboratory, ended: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    result = ended(
        CLOSED.replace("|", "2>&1 |"), "run", "experiment.toml", "--out", "out", "--check", "h3/h2 < 0.01"
    )
    assert result.returncode == 1
    assert len(laboratory.trials("out")) == 18
    assert Path("out/report.html").exists()


def test_a_full_disk_is_told_after_the_checks(
    laboratory: Laboratory, ended: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    said = "pronghorn: stdout can't be written: No space left on device."
    for check, status in (("h3/h2 < 100", 3), ("h3/h2 < 0.01", 1)):
        result = ended("> /dev/full", "report", "out", "--check", check)
        assert result.returncode == status
        lines = result.stderr.splitlines()
        assert lines[0].startswith("check ")
        assert lines[-1] == f"{said} The results are beside out/report.html."
    result = ended("> /dev/full", "--help")
    assert (result.returncode, result.stderr) == (
        3,
        "pronghorn: stdout can't be written: No space left on device.\n",
    )


def test_a_bug_is_one_message_with_status_70_and_its_traceback_in_a_file(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("no \x1b[2J way")

    monkeypatch.setattr(path_command, "_print_profiles", broken)
    result = laboratory.run("path", "--list")
    assert result.status == 70
    first, second = result.stderr.splitlines()
    assert first.startswith("pronghorn: a bug in pronghorn itself, in cli/path.py:")
    assert first.endswith(": ZeroDivisionError: no \\u001b[2J way")
    file = Path(second.rpartition(": ")[2])
    assert file.parent == laboratory.folder
    assert file.stat().st_mode & 0o777 == 0o600
    told = file.read_text(encoding="utf-8")
    assert "pronghorn path --list\n" in told and "Traceback (most recent call last)" in told


def test_a_bug_without_a_place_for_its_file_shows_the_traceback(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_command, "_print_profiles", lambda: [][0])
    monkeypatch.setattr("tempfile.tempdir", "/proc/nowhere")
    result = laboratory.run("path", "--list")
    assert result.status == 70
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.count("pronghorn: a bug") == 1


def test_an_engine_with_a_bug_is_no_fault_of_the_host_or_of_a_server(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = laboratory.folder / "broken"
    engine.write_text("#!/bin/sh\necho 'it \033[2J broke at x.rs:1' >&2; exit 70\n", encoding="utf-8")
    engine.chmod(0o755)
    monkeypatch.setenv("PRONGHORN_ENGINE", str(engine))
    for words in (("run", "experiment.toml"), ("load", "https://127.0.0.1/", "-n", "1")):
        result = laboratory.run(*words)
        assert result.status == 70
        assert "pronghorn: a bug in the engine itself: " in result.stderr
        assert "it \\u001b[2J broke at x.rs:1" in result.stderr
        assert "Server, client and path are not the cause" in result.stderr


def test_nothing_is_imported_from_where_one_stands(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise SystemExit(9)", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pronghorn", "--version"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
