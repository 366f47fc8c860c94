"""The journal: an append-only record of a run's trials, one JSON object a line, on disk before a trial
counts.

What `kill -9`, a full disk or a broken one leaves behind costs no other trial: lines which can't be read are
set aside in `trials.corrupt.jsonl`, and the rest is used."""

import errno
import json
import os
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import ValidationError

from pronghorn.errors import HostError
from pronghorn.model import trial as records
from pronghorn.model.trial import RunHeader, Trial, TrialKey

JOURNAL = "trials.jsonl"
CORRUPT = "trials.corrupt.jsonl"


class Contents(NamedTuple):
    """What a journal holds: its header (None where it is missing or unreadable), its trials, and the warnings
    about lines that could not be used."""

    header: RunHeader | None
    trials: list[Trial]
    warnings: list[str]


class Journal:
    """The journal of the run in `directory`, open for appending; `header` opens a new one.

    Every append is on disk (fsync) when it returns. HostError where the disk refuses; nothing recorded is
    lost then."""

    def __init__(self, directory: Path, header: RunHeader) -> None:
        self.path = directory / JOURNAL
        self._directory = directory
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._refused(error) from error
        try:
            if os.fstat(self._file).st_size == 0:
                self._append(records.record(header))
                sync_directory(directory)
        except BaseException:
            self.close()
            raise

    def append(self, trial: Trial) -> None:
        """Records `trial`."""
        self._append(records.record(trial))

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, text: str) -> None:
        size = os.fstat(self._file).st_size
        rest = memoryview(text.encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            _sync(self._file)
        except OSError as error:
            self._take_back(size)
            raise self._refused(error) from error

    def _take_back(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError:
            # The half line stays; the reader sets it aside.
            return

    def _refused(self, error: OSError) -> HostError:
        return refused(self.path, error, f"pronghorn run --resume {self._directory}")


def read(directory: Path) -> Contents:
    """The journal of the run in `directory`; empty where there is none.

    Lines that can't be used are moved to `trials.corrupt.jsonl`, so that the next reader finds only good
    ones."""
    found = _sorted(directory / JOURNAL, f"set aside in {CORRUPT}, its trial is measured again")
    if found.bad or not found.whole:
        _set_aside(directory, found.bad, found.good)
    return found.contents


def look(directory: Path) -> Contents:
    """The same, of a journal that stays as it is: somebody may be at work on it, or the disk read-only."""
    return _sorted(directory / JOURNAL, "left out").contents


class _Sorted(NamedTuple):
    """A journal's contents, its lines that can be used and those that can't, and whether its last line is
    whole."""

    contents: Contents
    good: list[bytes]
    bad: list[bytes]
    whole: bool


def _sorted(path: Path, fate: str) -> _Sorted:
    """The journal in `path`; `fate` says in its warnings what becomes of a line that can't be used."""
    if not path.exists():
        return _Sorted(Contents(None, [], []), [], [], True)
    header: RunHeader | None = None
    trials: dict[TrialKey, Trial] = {}
    good: list[bytes] = []
    bad: list[bytes] = []
    warnings: list[str] = []
    content = path.read_bytes()
    whole = content.endswith(b"\n") or not content
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n") if content else [], 1):
        value = _decode(line)
        if isinstance(value, RunHeader) and header is None and number == 1:
            header = value
        elif isinstance(value, Trial) and value.key not in trials:
            trials[value.key] = value
        else:
            what = value if isinstance(value, str) else "a record that stands there already"
            warnings.append(f"{path}, line {number}: {what}; {fate}.")
            bad.append(line)
            continue
        good.append(line)
    return _Sorted(Contents(header, list(trials.values()), warnings), good, bad, whole)


def restore_header(directory: Path, header: RunHeader) -> None:
    """Puts `header` before the trials of a journal whose own could not be read."""
    path = directory / JOURNAL
    replace(path, records.record(header).encode() + b"\n" + path.read_bytes())


def replace(path: Path, content: bytes) -> None:
    """Writes `content` to `path` so that a crash leaves the old file or the new one; HostError on a full
    disk."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            _sync(file.fileno())
        new.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise refused(path, error, f"pronghorn run --resume {path.parent}") from error


def refused(path: Path, error: OSError, resume: str) -> HostError:
    """The error for a disk that refuses to write `path`, with the command that goes on afterwards."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        mend = f"Free some space, then go on with: {resume}"
    else:
        mend = f"Mend the disk or its permissions, then go on with: {resume}"
    return HostError(
        f"{path}: can't be written: {error.strerror}. What was recorded before is safe.", hint=mend
    )


def sync_directory(directory: Path) -> None:
    """Puts a directory's entries on disk."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Pipes, devices and some network file systems have nothing to flush.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _decode(line: bytes) -> Trial | RunHeader | str:
    try:
        data = json.loads(line)
    except ValueError:
        return "not readable (cut off or corrupt)"
    if not isinstance(data, dict):
        return "no record"
    try:
        return RunHeader.model_validate(data) if data.get("type") == "run" else Trial.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        return f"no trial's record ({'.'.join(map(str, first['loc']))}: {first['msg']})"


def _set_aside(directory: Path, bad: list[bytes], good: list[bytes]) -> None:
    aside = directory / CORRUPT
    if bad:
        earlier = aside.read_bytes() if aside.exists() else b""
        replace(aside, earlier + b"".join(line + b"\n" for line in bad))
    replace(directory / JOURNAL, b"".join(line + b"\n" for line in good))
