"""Where a document names a URL: how much of it must have arrived before a browser can ask for that."""

import gzip
import importlib
import io
import posixpath
import zlib
from collections.abc import Iterator

from pronghorn.sites.archive import Exchange
from pronghorn.sites.archive.limits import MOST_BODY

_BEFORE = b"\"'=( \t\n,;"
_AFTER = b"\"'>) \t\n,;#\\"
_LEAST = 4
"""Shorter names are found where nobody means them."""

_TAG_ENDS_WITHIN = 4096


def decoded(exchange: Exchange, body: bytes) -> bytes | None:
    """A body without its content coding; None where it can't be decoded."""
    coding = (exchange.header("content-encoding") or "").strip().lower()
    try:
        if coding in ("", "identity"):
            return body
        if coding in ("gzip", "x-gzip"):
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
                return stream.read(MOST_BODY)
        if coding == "deflate":
            return zlib.decompressobj().decompress(body, MOST_BODY)
        if coding == "br":
            return bytes(importlib.import_module("brotli").decompress(body))
    except Exception:
        # Each library has errors of its own, and what can't be decoded is only not read.
        return None
    return None


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
        at = text.find(name, at + 1)
    return None
