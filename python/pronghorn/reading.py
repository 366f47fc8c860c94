"""Files that a person names, or that another program has left: of the kind and the size that they have to
be.

Nothing here waits for a FIFO, and nothing is read beyond its bound: /dev/zero has no end."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from pronghorn.errors import InputError

MOST_TOML = 4 * 2**20
"""The most bytes of an experiment, a path, a population, or a map's terms."""

MOST_JSON = 64 * 2**20
"""The most bytes of a manifest, a map, or a client's result."""

MOST_ARTIFACT = 2**30
"""The most bytes of what a trial left behind, and of a summary."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class Unreadable(Exception):
    """A file can't be used; the text says why, as a clause without the file's name."""


class Missing(Unreadable):
    """There is no such file."""


def opened(file: Path) -> BinaryIO:
    """A regular file, open for reading; Missing, or Unreadable where it is of another kind or refused."""
    try:
        _refuse_kind(file.stat().st_mode)
        # Should a FIFO have taken its place meanwhile, this doesn't wait for its writer (open(2)).
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Missing("no such file") from None
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None
    except ValueError as error:
        raise Unreadable(str(error)) from None
    try:
        _refuse_kind(os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content(file: Path, most_bytes: int, what: str) -> bytes:
    """The bytes of a regular file; Unreadable where there are more than `most_bytes`, the most that `what`
    (such as "an experiment") may have."""
    with opened(file) as stream:
        try:
            size = os.fstat(stream.fileno()).st_size
            read = stream.read(most_bytes + 1) if size <= most_bytes else b""
        except OSError as error:
            raise Unreadable(error.strerror or str(error)) from None
    if max(size, len(read)) > most_bytes:
        raise Unreadable(f"larger than {_size(most_bytes)}, the most for {what}")
    return read


def text(file: Path, most_bytes: int, what: str, *, encoding: str = "utf-8") -> str:
    """The same as text; Unreadable where it is no UTF-8."""
    try:
        return content(file, most_bytes, what).decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not UTF-8; {what} has to be UTF-8 text") from None


def asked(file: Path, most_bytes: int, what: str) -> str:
    """The text of a file that a person named; InputError where it can't be had."""
    try:
        return text(file, most_bytes, what)
    except Unreadable as error:
        raise InputError(f"{file}: {error}.") from None


def _refuse_kind(mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for of_kind, name in _KINDS if of_kind(mode)), "of another kind")
        raise Unreadable(f"this is {kind}, not a regular file")


def _size(number: int) -> str:
    return f"{number // 2**20} MiB" if number >= 2**20 else f"{number} bytes"
