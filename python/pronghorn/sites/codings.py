"""Content codings (RFC 9110 §8.4), undone within bounds and applied again."""

import gzip
import importlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from pronghorn.sites import compression
from pronghorn.sites.archive import limits

_PIECE = 2**16
_ZSTD_LEVEL = 3
_ZSTD_PIECE = 128
"""Bytes decoded at once: three of them may become 128 KiB (RFC 8878 §3.1.1.2)."""

_ZSTD_MOST_WINDOW = 8 * 2**20
"""The largest window of zstd that a browser takes (RFC 9659)."""


class Undecodable(ValueError):
    """A body can't be decoded: why, as a clause."""


def named(header: str | None) -> list[str]:
    """The codings of a Content-Encoding header in the order in which they were applied."""
    words = [word.strip().lower() for word in (header or "").split(",")]
    return [_ALIASES.get(word, word) for word in words if word and word != "identity"]


def known(codings: list[str]) -> bool:
    """Whether all of the codings can be undone and applied."""
    return all(coding in _DECODERS for coding in codings)


def undone(content: bytes, codings: list[str], most: int = limits.MOST_BODY) -> bytes:
    """`content` without its codings. Undecodable where it isn't of them, is cut, or becomes more than `most`
    bytes: no more than those are ever made."""
    if len(codings) > 3:
        raise Undecodable("more than three codings, one over the other")
    for coding in reversed(codings):
        if coding not in _DECODERS:
            raise Undecodable(f"the coding {coding[:40]!a} is not known")
        made = bytearray()
        try:
            for piece in _DECODERS[coding](content):
                made += piece
                if len(made) > most:
                    raise Undecodable(f"decoded it has more than {most} bytes")
        except Undecodable:
            raise
        except (zlib.error, EOFError, OSError, compression.library().error, _zstandard().ZstdError) as error:
            raise Undecodable(f"it is no {coding}: {error}") from None
        content = bytes(made)
    return content


def applied(content: bytes, codings: list[str]) -> bytes:
    """`content` with the codings, each at the level at which content delivery networks compress."""
    for coding in codings:
        content = _ENCODERS[coding](content)
    return content


def _inflated(content: bytes, window: int) -> Iterator[bytes]:
    at = 0
    while at < len(content):
        decoder = zlib.decompressobj(window)
        waiting = b""
        while not decoder.eof:
            if not waiting:
                waiting = content[at : at + _PIECE]
                at += len(waiting)
            piece = decoder.decompress(waiting, _PIECE * 16)
            waiting = decoder.unconsumed_tail
            # With all of the input it may still hold some of what it has made.
            if not (piece or waiting or decoder.eof or at < len(content)):
                raise EOFError("it is cut")
            yield piece
        at -= len(decoder.unused_data)
        # Members may follow one another (RFC 1952 §2.2); what else follows, browsers pass over.
        if window <= zlib.MAX_WBITS or content[at : at + 2] != b"\x1f\x8b":
            return


def _gunzipped(content: bytes) -> Iterator[bytes]:
    yield from _inflated(content, zlib.MAX_WBITS | 16)


def _deflated(content: bytes) -> Iterator[bytes]:
    """Of zlib's format, or raw as some servers send it."""
    raw = len(content) < 2 or content[0] & 15 != 8 or int.from_bytes(content[:2], "big") % 31
    yield from _inflated(content, -zlib.MAX_WBITS if raw else zlib.MAX_WBITS)


def _unbrotlied(content: bytes) -> Iterator[bytes]:
    decoder = compression.library().Decompressor()
    yield decoder.process(content, output_buffer_limit=_PIECE * 16)
    while not decoder.is_finished():
        # It may take more data and still hold some of what it has made.
        piece = decoder.process(b"", output_buffer_limit=_PIECE * 16)
        if not piece and not decoder.is_finished():
            raise EOFError("it is cut")
        yield piece


def _unzstandarded(content: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(content):
        decoder = _zstandard().ZstdDecompressor(max_window_size=_ZSTD_MOST_WINDOW).decompressobj()
        while at < len(content) and not decoder.eof:
            piece = content[at : at + _ZSTD_PIECE]
            at += len(piece)
            yield decoder.decompress(piece)
        if not decoder.eof:
            raise EOFError("it is cut")
        at -= len(decoder.unused_data)


def _zlibbed(content: bytes) -> bytes:
    return zlib.compress(content, compression.GZIP_LEVEL)


def _gzipped(content: bytes) -> bytes:
    return gzip.compress(content, compression.GZIP_LEVEL, mtime=0)


def _zstandarded(content: bytes) -> bytes:
    return bytes(_zstandard().ZstdCompressor(level=_ZSTD_LEVEL).compress(content))


def _zstandard() -> Any:
    return importlib.import_module("zstandard")


_ALIASES = {"x-gzip": "gzip", "zstandard": "zstd"}
_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzipped,
    "deflate": _deflated,
    "br": _unbrotlied,
    "zstd": _unzstandarded,
}
_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzipped,
    "deflate": _zlibbed,
    "br": compression.brotli_of,
    "zstd": _zstandarded,
}
