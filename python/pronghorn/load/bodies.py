"""The body of a request: a text, or a file that the engine reads while it is sent, however large."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pronghorn import reading
from pronghorn.errors import HostError, InputError

_INLINE = 64 * 2**10
"""The largest file whose bytes are told to the engine, which are then in its memory once."""


class Body(NamedTuple):
    """`content` or, of a large one, the absolute path of its `file`."""

    content: bytes | None = None
    file: str | None = None


def of_file(path: Path, where: str) -> Body:
    """A file's; InputError where it can't be read."""
    try:
        with reading.opened(path) as stream:
            if os.fstat(stream.fileno()).st_size > _INLINE:
                return Body(file=str(path.absolute()))
            return Body(content=stream.read(_INLINE + 1))
    except (reading.Unreadable, OSError) as error:
        raise InputError(f"{where}: {error}.") from None


class Spool:
    """Temporary files without a name, which are gone when this process is, however it ends. Another process
    of ours opens them by `path`."""

    def __init__(self) -> None:
        self._files: list[BinaryIO] = []

    def new(self) -> BinaryIO:
        """An empty one; HostError where there is no place for it."""
        try:
            file = tempfile.TemporaryFile()  # noqa: SIM115
        except OSError as error:
            raise HostError(
                f"{tempfile.gettempdir()}: {error.strerror}.", hint="Set TMPDIR to a folder with room."
            ) from None
        self._files.append(file)
        return file

    def path(self, file: BinaryIO) -> str:
        """Where it is found; what was written to it is there."""
        file.flush()
        return f"/proc/{os.getpid()}/fd/{file.fileno()}"

    def of_stdin(self, where: str) -> BinaryIO:
        """All of stdin, to be read from its beginning."""
        file = self.new()
        try:
            shutil.copyfileobj(sys.stdin.buffer, file)
            file.flush()
        except (OSError, ValueError) as error:
            raise InputError(f"{where}: {getattr(error, 'strerror', None) or error}.") from None
        file.seek(0)
        return file
