"""A run's directory: claimed by one run at a time, and never one that holds another run."""

import errno
import fcntl
import json
import os
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from pronghorn import reading
from pronghorn.errors import HostError, InputError
from pronghorn.model import foreign
from pronghorn.runs import noted
from pronghorn.runs.journal import JOURNAL, replace

EXPERIMENT = "experiment.toml"
MANIFEST = "manifest.json"
CORRUPT_MANIFEST = "manifest.corrupt.json"
PARQUET = "trials.parquet"
SUMMARY = "summary.json"
REPORT = "report.html"


def default_name(experiment: str, now: datetime | None = None) -> Path:
    """`runs/<UTC timestamp>-<slug of the experiment's name>`, which does not exist yet."""
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%d-%H%M%S")
    slug = re.sub(r"[^a-z0-9]+", "-", experiment.lower()).strip("-")[:60] or "run"
    candidate = Path("runs") / f"{stamp}-{slug}"
    number = 2
    while candidate.exists():
        candidate = Path("runs") / f"{stamp}-{slug}-{number}"
        number += 1
    return candidate


class Manifest(NamedTuple):
    """What a manifest notes, and the warnings about what of it could not be used."""

    notes: dict[str, Any]
    warnings: list[str]


def read_manifest(run: Path) -> Manifest:
    """The manifest of the run in a directory; InputError where there is none. What can't be used is left
    out, for no trial depends on it."""
    file = run / MANIFEST
    try:
        told = foreign.json_table(reading.content(file, reading.MOST_JSON, "a manifest"))
    except reading.Missing as error:
        raise InputError(f"{file}: can't be read: {error}.") from None
    except (reading.Unreadable, foreign.Malformed) as error:
        return Manifest({}, [f"{file}: {error}. It is left out, so the conditions of the run are unknown."])
    notes, faults = noted.usable(told)
    return Manifest(notes, [f"{file}: {fault}. This entry is left out." for fault in faults])


class RunDirectory:
    """The directory of a run, locked (flock(2)) while this object lives."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Claims `path`. InputError where it holds another run (unless `resume`), is in use or can't be
        written; HostError where its disk is full."""
        self.path = path
        try:
            self._made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            self._claim(resume)
        except BaseException:
            self.release()
            raise

    def file(self, name: str) -> Path:
        """The path of one of the run's files."""
        return self.path / name

    def release(self) -> None:
        """Gives the directory up; one that we made and that stayed empty goes again."""
        if self._lock < 0:
            return
        os.close(self._lock)
        self._lock = -1
        if self._made and not any(self.path.iterdir()):
            self.path.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, InputError):
            self._clear()
        self.release()

    def _clear(self) -> None:
        """Empties a directory that we made and in which nothing was measured, be it by a run within it: so
        the same words can be typed again once the input is mended."""
        if self._made and not any(self.path.rglob(JOURNAL)):
            for file in self.path.iterdir():
                shutil.rmtree(file) if file.is_dir() else file.unlink()

    def _claim(self, resume: bool) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{self.path}: another pronghorn is using this directory.",
                hint="Wait for it, or choose another directory with --out.",
            ) from None
        if not resume:
            for name in (JOURNAL, MANIFEST):
                if self.file(name).exists():
                    raise InputError(
                        f"{self.path}: holds another run ({name}).",
                        hint=f"Continue it with --resume {self.path}, or choose another directory with "
                        "--out.",
                    )
        try:
            with tempfile.TemporaryFile(dir=self.path):
                pass
        except OSError as error:
            raise _unusable(self.path, error) from error


def write_manifest(directory: RunDirectory, notes: dict[str, Any]) -> None:
    """Writes the manifest of a run anew."""
    replace(directory.file(MANIFEST), (json.dumps(notes, indent=2) + "\n").encode())


def _unusable(path: Path, error: OSError) -> InputError | HostError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HostError(
            f"{path}: {error.strerror}.", hint="Free some space, or choose another directory with --out."
        )
    return InputError(
        f"{path}: this output directory can't be written: {error.strerror}.",
        hint="Choose another directory with --out.",
    )
