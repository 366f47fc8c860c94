"""The journal: an append-only record of a run's trials, one JSON object a line, on disk before a trial
counts.

What `kill -9`, a full disk, a broken one or a foreign hand leaves behind costs no other trial: lines which
can't be used are set aside in `trials.corrupt.jsonl`, and the rest is used."""

import errno
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from pydantic import ValidationError

from pronghorn import reading
from pronghorn.errors import HostError, InputError
from pronghorn.model import bounds
from pronghorn.model import trial as records
from pronghorn.model.trial import RunHeader, Trial, TrialKey

JOURNAL = "trials.jsonl"
CORRUPT = "trials.corrupt.jsonl"

MOST_LINE = 64 * 2**20
"""The most bytes of a line that is a record: one with thousands of requests has a few million."""

_PIECE = 2**20


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

    def append(self, trial: Trial) -> Trial:
        """Records `trial`; gives it as it is recorded. One whose line no reader would take is recorded
        without what was asked for, as a load that was too large."""
        trial, text = _fitted(trial)
        self._append(text)
        return trial

    def fitted(self, trial: Trial) -> Trial:
        """A trial as `append` records it."""
        return _fitted(trial)[0]

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


def _fitted(trial: Trial) -> tuple[Trial, str]:
    """A trial as it is recorded, with its line."""
    text = records.record(trial)
    if (size := len(text.encode())) < MOST_LINE:
        return trial, text
    trial = _without_requests(trial, size)
    return trial, records.record(trial)


def _without_requests(trial: Trial, size: int) -> Trial:
    left: dict[str, Any] = {"page": None, "origin_log": [], "origin_connections": [], "why": None}
    if trial.status == "contaminated":
        return trial.model_copy(update=left)
    detail = f"its record would have {size / 2**20:.0f} MiB; at most {MOST_LINE // 2**20} MiB are allowed"
    failed = {"status": "failed", "reason": "too-large", "detail": detail}
    return trial.model_copy(update={**left, **failed})


Belongs = Callable[[Trial], str | None]
"""Why a trial does not belong to a run, as a clause; None if it does."""

Decode = Callable[[bytes], Trial]
"""Makes a trial of a line; ValidationError where it is none."""


def read(directory: Path, belongs: Belongs | None = None) -> Contents:
    """The journal of the run in `directory`; empty where there is none. InputError where it is no file.

    Lines that can't be used are moved to `trials.corrupt.jsonl`, so that the next reader finds only good
    ones."""
    return read_by(directory, Trial.model_validate_json, belongs).contents


def look(directory: Path, belongs: Belongs | None = None) -> Contents:
    """The same, of a journal that stays as it is: somebody may be at work on it, or the disk read-only."""
    return sort(directory / JOURNAL, Trial.model_validate_json, "left out", belongs).contents


class Sorted(NamedTuple):
    """A journal's contents, by trial where its line begins, where the lines begin and end that can't be used,
    and whether the last line is whole."""

    contents: Contents
    places: dict[TrialKey, int]
    bad: list[tuple[int, int]]
    whole: bool


def read_by(directory: Path, decode: Decode, belongs: Belongs | None = None) -> Sorted:
    """As `read`, with trials as `decode` makes them; nothing is left that can't be used."""
    path = directory / JOURNAL
    found = sort(path, decode, f"moved to {CORRUPT}, and its trial is measured again", belongs)
    if found.bad or not found.whole:
        _set_aside(directory, found)
        found = sort(path, decode, "left out", belongs)._replace(contents=found.contents)
    return found


def sort(path: Path, decode: Decode, fate: str, belongs: Belongs | None) -> Sorted:
    """The journal in `path`; `fate` says in its warnings what becomes of a line that can't be used, as one
    that isn't the run's by `belongs`."""
    header: RunHeader | None = None
    trials: list[Trial] = []
    places: dict[TrialKey, int] = {}
    bad: list[tuple[int, int]] = []
    warnings: list[str] = []
    whole = True
    place = 0
    with without_collection():
        for line, end in _lines(path):
            whole = line.endswith(b"\n")
            try:
                trial = decode(line)
                strange = belongs(trial) if belongs else None
                if strange is None and places.setdefault(trial.key, place) == place:
                    trials.append(trial)
                    place = end
                    continue
                what = strange or "a record that is already there"
            except ValidationError as error:
                found = _header_or_reason(line, error) if place == 0 else _reason(line, error)
                if isinstance(found, RunHeader):
                    header, place = found, end
                    continue
                what = found
            number = len(trials) + len(bad) + (header is not None) + 1
            warnings.append(f"{path}, line {number}: {what}; {fate}.")
            bad.append((place, end))
            place = end
    return Sorted(Contents(header, trials, warnings), places, bad, whole)


@contextmanager
def without_collection() -> Iterator[None]:
    """Without the search for cycles, which would go through all records again and again and find none."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def restore_header(directory: Path, header: RunHeader) -> None:
    """Puts `header` before the trials of a journal whose own could not be read."""
    path = directory / JOURNAL
    with _opened(path) as earlier:
        replace(path, (records.record(header).encode() + b"\n", *_pieces(earlier, 0, _size(earlier))))


def replace(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Writes `content` to `path` so that a crash leaves the old file or the new one; HostError on a full
    disk."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.writelines((content,) if isinstance(content, bytes) else content)
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
        mend = f"Free some space, then continue: {resume}"
    else:
        mend = f"Fix the disk or its permissions, then continue: {resume}"
    return HostError(
        f"{path}: can't be written: {error.strerror}. Everything recorded before is safe.", hint=mend
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


_HEAD = 64
"""A record names its kind within this many bytes."""


def _header_or_reason(line: bytes, no_trial: ValidationError) -> RunHeader | str:
    """The header that the first line is, or why it is none."""
    try:
        return RunHeader.model_validate_json(line)
    except ValidationError as no_header:
        return _reason(line, no_header if b'"run"' in line[:_HEAD] else no_trial)


def _reason(line: bytes, error: ValidationError) -> str:
    if len(line) >= MOST_LINE:
        return f"longer than {MOST_LINE // 2**20} MiB"
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        deep = "recursion limit" in first["msg"]
        return "nested too deep" if deep else "not readable (cut off or corrupt)"
    if not first["loc"] and first["type"] in ("model_type", "model_attributes_type"):
        return "no record"
    return f"no trial's record ({bounds.wrong(error)})"


def _opened(path: Path) -> BinaryIO:
    try:
        return reading.opened(path)
    except reading.Unreadable as error:
        raise InputError(f"{path}: {error}.") from None


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """The lines of a journal, each with where it ends. Of one that is too long there is but its beginning, as
    far as a line may go."""
    if not path.exists():
        return
    with _opened(path) as file:
        end = 0
        while line := file.readline(MOST_LINE):
            end += len(line)
            if len(line) == MOST_LINE and not line.endswith(b"\n"):
                last = line
                while not last.endswith(b"\n") and (last := file.readline(_PIECE)):
                    end += len(last)
                line = line[:-1] + b"\n" if last else line
            yield line, end


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _pieces(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    """What stands in a file from one place to another, with a newline at its end."""
    file.seek(begin)
    last = b"\n"
    while begin < end and (piece := file.read(min(_PIECE, end - begin))):
        begin += len(piece)
        last = piece
        yield piece
    if not last.endswith(b"\n"):
        yield b"\n"


def _set_aside(directory: Path, found: Sorted) -> None:
    with _opened(directory / JOURNAL) as file:
        if found.bad:
            _append_aside(directory / CORRUPT, (piece for one in found.bad for piece in _pieces(file, *one)))
        begins = [0, *(end for _, end in found.bad)]
        ends = [*(begin for begin, _ in found.bad), _size(file)]
        good = zip(begins, ends, strict=True)
        replace(directory / JOURNAL, (piece for one in good for piece in _pieces(file, *one)))


def _append_aside(aside: Path, pieces: Iterable[bytes]) -> None:
    """Adds lines to those that were set aside before; on disk when it returns."""
    try:
        with aside.open("ab") as file:
            file.writelines(pieces)
            file.flush()
            _sync(file.fileno())
        sync_directory(aside.parent)
    except OSError as error:
        raise refused(aside, error, f"pronghorn run --resume {aside.parent}") from error
