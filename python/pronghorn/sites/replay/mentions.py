"""Where a document names a URL: how much of it must have arrived before a browser can ask for that."""

import posixpath
from collections.abc import Iterator

from pronghorn.sites import codings
from pronghorn.sites.archive import Exchange

_MOST_TEXT = 4 * 2**20
"""Bytes of a document in which names are looked for."""

_BEFORE = b"\"'=( \t\n,;"
_AFTER = b"\"'>) \t\n,;#\\"
_LEAST = 4
"""Shorter names are found where nobody means them."""

_TAG_ENDS_WITHIN = 4096


def decoded(exchange: Exchange, body: bytes) -> bytes | None:
    """A body without its content coding; None where it can't be decoded, or is too long to be read."""
    try:
        text = codings.undone(body, codings.named(exchange.header("content-encoding")), _MOST_TEXT)
    except codings.Undecodable:
        return None
    return text if len(text) <= _MOST_TEXT else None


def end_of_mention(document: Exchange, text: bytes, wanted: Exchange) -> int | None:
    """How many bytes of a document's `text` hold the first tag that names a URL; None where none does."""
    places = [found for name in _names(document, wanted) if (found := _find(text, name)) is not None]
    if not places:
        return None
    end = min(places)
    tag = text.find(b">", end, end + _TAG_ENDS_WITHIN)
    return tag + 1 if tag >= 0 else end


def _names(document: Exchange, wanted: Exchange) -> Iterator[bytes]:
    """The ways in which a document can write a URL."""
    here, there = document.target, wanted.target
    spellings = [wanted.url, wanted.url.partition(":")[2]]
    if here.host == there.host:
        folder = posixpath.dirname(here.path.partition("?")[0]).rstrip("/") + "/"
        spellings.append(there.path)
        if there.path.startswith(folder):
            spellings += [there.path[len(folder) :], "./" + there.path[len(folder) :]]
    for spelling in spellings:
        for written in {spelling, spelling.replace("&", "&amp;"), spelling.replace("/", "\\/")}:
            if len(written) >= _LEAST:
                yield written.encode()


def _find(text: bytes, name: bytes) -> int | None:
    """Where the first mention of `name` by itself ends."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if text[at - 1 : at] in _BEFORE and text[end : end + 1] in _AFTER:
            return end
        # Past all of it, so that near misses cost no more than the text is long.
        at = text.find(name, end)
    return None
