"""Scripts of an exact size: one statement that leaves a trace of having run, and a comment of random text."""

from pronghorn.sites.compression import fitted
from pronghorn.sites.prose import Prose
from pronghorn.sites.stream import Stream


def script(stream: Stream, label: str, size: int) -> bytes:
    """A classic script of `size` bytes, at least 200: it appends `label` to `window.pronghornRan`."""
    head, tail = _around(label)
    return f"{head}{stream.text(label, size - len(head) - len(tail))}{tail}".encode("ascii")


def compressed(stream: Stream, label: str, size: int) -> tuple[bytes, bytes]:
    """As `script`, but text that compresses to `size` bytes; and its brotli stream."""
    head, tail = _around(label)
    return fitted(head.encode(), Prose(stream, label).take, tail.encode(), size)


def _around(label: str) -> tuple[str, str]:
    return f'"use strict";(window.pronghornRan=window.pronghornRan||[]).push("{label}");/*', "*/\n"
