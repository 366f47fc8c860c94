"""Stdout and stderr of the program: foreign text can't act there, and nobody has to read to the end.

A reader that has gone (`| head -1`) ends the output and nothing else: the work goes on, and the exit status
is the work's. A stdout that can't be written, such as a file on a full disk, is told at the end.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from pronghorn.foreign import visible


class Outlet(io.TextIOBase):
    """A stream that writes to `stream` and never fails. `fault` is why it could not be written, None where it
    could, or where its reader had gone; `hint` is where else the same stands."""

    def __init__(self, stream: "TextIO | Outlet") -> None:
        super().__init__()
        self._stream = stream
        self._over = False
        self.fault: OSError | None = None
        self.hint: str | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The stream's."""
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """The stream's."""
        return self._stream.errors

    def fileno(self) -> int:
        """The stream's."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """Whether a person may be reading."""
        return self._stream.isatty()

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Writes `text`, or drops it where nothing can be written any more."""
        if not self._over:
            with self._lasting():
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Hands on what was written."""
        if not self._over:
            with self._lasting():
                self._stream.flush()

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._end()
        except OSError as error:
            self.fault = error
            self._end()

    def _end(self) -> None:
        """The descriptor leads nowhere from now on, so that what the stream still holds is no fault when the
        interpreter ends."""
        self._over = True
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class Visible(Outlet):
    """An outlet for text of whatever source. Rich's consoles, which write what a terminal has to act on, find
    the outlet behind it by `rich_proxied_file`."""

    def __init__(self, outlet: Outlet) -> None:
        super().__init__(outlet)
        self.rich_proxied_file = outlet

    def write(self, text: str) -> int:
        """Writes `text` as `foreign.visible` has it."""
        super().write(visible(text))
        return len(text)


@contextmanager
def outlets() -> Iterator[Outlet]:
    """Within it `sys.stdout` and `sys.stderr` are such streams; gives stdout's."""
    before = sys.stdout, sys.stderr
    stdout, stderr = Visible(Outlet(sys.stdout)), Visible(Outlet(sys.stderr))
    sys.stdout, sys.stderr = stdout, stderr
    try:
        yield stdout.rich_proxied_file
    finally:
        stdout.flush()
        stderr.flush()
        sys.stdout, sys.stderr = before
