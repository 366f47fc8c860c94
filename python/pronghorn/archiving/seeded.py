"""Bodies that a source lacks: seeded bytes of the recorded size and compressibility."""

import html
from collections.abc import Sequence

from pronghorn.sites import codings
from pronghorn.sites.stream import Stream

Asked = tuple[str, str]
"""A URL and its kind."""

_STREAM = Stream(0, "archive")
_FRAMES: dict[str, tuple[bytes, bytes]] = {
    "document": (b"<!-- ", b" -->\n"),
    "script": (b"/* ", b" */\n"),
    "style": (b"/* ", b" */\n"),
    "fetch": (b'"', b'"'),
}
"""What makes a text one that a browser reads without complaint."""

_DOCUMENT = b"<!doctype html><title>made up</title>\n"
_ELEMENTS = {
    "style": '<link rel="stylesheet" href="{}">\n',
    "script": '<script src="{}" async></script>\n',
    "image": '<img src="{}">\n',
}

_FILLER = b"made up, as the source has no body here; "
_SHARE = 0.755
"""What a compressor leaves of text drawn from 64 characters: six of eight bits, and some more."""

_RATIO = 3
"""How often larger text is than what a compressor leaves of it, where the source doesn't say."""

_TRIES = 4


def made(
    label: str,
    kind: str,
    coding: Sequence[str],
    *,
    coded: int | None,
    decoded: int | None,
    asks: Sequence[Asked] = (),
) -> bytes:
    """A body without its coding. `codings.applied` makes `coded` bytes of it, within 3 % where it is more
    than a kilobyte.

    `coded` and `decoded` are the recorded sizes with and without the coding; one may be None, then it is
    guessed from the other. The same `label` gives the same bytes. A document asks for the URLs `asks`, as
    far as they fit."""
    head = _head(kind, asks)
    if not coding:
        size = coded if coded is not None else decoded or 0
        return _framed(label, kind, head, size, size)
    wanted = coded if coded is not None else -(-(decoded or 0) // _RATIO)
    size = decoded if decoded is not None else wanted * _RATIO
    drawn, body = round(wanted / _SHARE), b""
    for _ in range(_TRIES):
        size = max(size, drawn)
        body = _framed(label, kind, head, size, drawn)
        missing = wanted - len(codings.applied(body, list(coding)))
        if abs(missing) <= max(4, wanted // 100):
            break
        drawn = max(0, drawn + round(missing / _SHARE))
        if missing < 0 and drawn == 0:
            head, size = b"", min(size, wanted * _RATIO)
    return body


def _head(kind: str, asks: Sequence[Asked]) -> bytes:
    if kind != "document":
        return b""
    elements = [_ELEMENTS[of].format(html.escape(url)) for url, of in asks if of in _ELEMENTS]
    return _DOCUMENT + "".join(elements).encode()


def _framed(label: str, kind: str, head: bytes, size: int, drawn: int) -> bytes:
    """`size` bytes, of which `drawn` at most are drawn at random; what doesn't fit is cut or left out."""
    if kind not in _FRAMES:
        return _STREAM.bytes(label, drawn) + bytes(size - drawn)
    before, after = _FRAMES[kind]
    while head and len(head) + len(before) + len(after) > size:
        head = head[: head.rfind(b"\n", 0, -1) + 1]
    room = size - len(head) - len(before) - len(after)
    if room < 0:
        return b" " * size
    text = _STREAM.text(label, min(drawn, room)).encode()
    filler = (_FILLER * ((room - len(text)) // len(_FILLER) + 1))[: room - len(text)]
    return head + before + text + filler + after
