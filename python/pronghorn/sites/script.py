"""Scripts of an exact size: one statement that leaves a trace of having run, and a comment of random text."""

from pronghorn.sites.stream import Stream


def script(stream: Stream, label: str, size: int) -> bytes:
    """A classic script of `size` bytes, at least 200: it appends `label` to `window.pronghornRan`."""
    head = f'"use strict";(window.pronghornRan=window.pronghornRan||[]).push("{label}");/*'
    tail = "*/\n"
    return f"{head}{stream.text(label, size - len(head) - len(tail))}{tail}".encode("ascii")
