"""Whatever a person names, or a foreign program leaves, is read to a bound and only where it is a file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pronghorn import reading
from pronghorn.clients import result
from pronghorn.model import arrivals
from pronghorn.model.path.texts import Texts
from pronghorn.origins import process, template
from pronghorn.runs import directory as files
from pronghorn.runs.journal import JOURNAL

from .laboratory import Laboratory

SPARSE = 2**40


def fifo(file: Path) -> None:
    os.mkfifo(file)


def sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(SPARSE)


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "fifo": (fifo, "this is a FIFO, not a regular file"),
    "folder": (Path.mkdir, "this is a folder, not a regular file"),
    "device": (lambda file: file.symlink_to("/dev/zero"), "this is a device, not a regular file"),
    "sparse": (sparse, "larger than"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_a_file_of_a_bounded_size_is_read(tmp_path: Path, kind: str) -> None:
    make, said = KINDS[kind]
    make(file := tmp_path / "file")
    with pytest.raises(reading.Unreadable, match=said):
        reading.content(file, 1000, "a test")


def test_a_file_is_read_to_its_bound(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_bytes(b"x" * 1000)
    assert reading.content(file, 1000, "a test") == b"x" * 1000
    with pytest.raises(reading.Unreadable, match="larger than 999 bytes, the most for a test"):
        reading.content(file, 999, "a test")
    with pytest.raises(reading.Missing, match="no such file"):
        reading.content(tmp_path / "none", 1, "a test")
    file.write_bytes(b"ab\xff")
    with pytest.raises(reading.Unreadable, match="byte 2 is not UTF-8; a test has to be UTF-8 text"):
        reading.text(file, 10, "a test")


def test_a_file_whose_size_nobody_tells_is_read_as_well() -> None:
    assert reading.content(Path("/proc/self/status"), 2**20, "a test").startswith(b"Name:")


COMMANDS = {
    "run": ("run", "X.toml"),
    "path": ("path", "X.toml", "--", "true"),
    "policy": ("policy", "show", "X.toml"),
    "map": ("policy", "fit", "X.toml", "--out", "policy.toml"),
    "body": ("load", "https://localhost:1/", "--data", "X.toml"),
    "list": ("load", "-i", "X.toml"),
}
"""A command for each reader of a file that a person names."""


STREAMED = ("body", "list")
"""What is read while a load goes on, whatever its size."""


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (command, kind)
        for command in COMMANDS
        for kind in ("fifo", "device", "sparse")
        if (kind, command) not in {("sparse", streamed) for streamed in STREAMED}
    ],
)
def test_a_command_refuses_what_is_no_file_of_its_kind(
    laboratory: Laboratory, command: str, kind: str
) -> None:
    make, said = KINDS[kind]
    make(laboratory.folder / "X.toml")
    done = laboratory.run(*COMMANDS[command])
    assert done.status == 2, done.stderr
    assert said in " ".join(done.stderr.split())
    assert "X.toml" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_readers_of_what_others_left_refuse_it_too(tmp_path: Path, kind: str) -> None:
    make, said = KINDS[kind]
    make(file := tmp_path / "file")
    with pytest.raises(ValueError, match=said):
        result.read(file)
    with pytest.raises(ValueError, match=said):
        Texts().read("file", tmp_path, "a trace", ("trace",))
    with pytest.raises(Exception, match=said):
        template.read(file)
    if kind != "sparse":
        assert process.last_lines(file) == ""
        with pytest.raises(arrivals.Unreadable, match=said):
            arrivals.read(file)
    with pytest.raises(Exception, match=said):
        process.whole_lines(file)
    make(tmp_path / files.MANIFEST)
    notes, (warning,) = files.read_manifest(tmp_path)
    assert (notes, said in warning) == ({}, True)


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_a_journal_that_is_no_file_is_refused_with_its_name(laboratory: Laboratory, kind: str) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=1", "--set", "paths=near")
    (laboratory.folder / "out" / JOURNAL).unlink()
    make, said = KINDS[kind]
    make(laboratory.folder / "out" / JOURNAL)
    for words in (("report", "out"), ("run", "--resume", "out"), ("compare", "out", "out")):
        done = laboratory.run(*words)
        assert (done.status, said in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_deeply_nested_overrides_are_refused(laboratory: Laboratory) -> None:
    done = laboratory.run("run", "experiment.toml", "--set", f"repeat={'[' * 100_000}")
    assert done.status == 2
    assert "Traceback" not in done.stderr
