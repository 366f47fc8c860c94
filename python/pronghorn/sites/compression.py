"""Content codings of a site's text: made when it is built, and served by every origin as they lie there.

A coded file lies beside the plain one, whose name it has with an ending after it. Nothing is compressed while
it is served, so that no origin is measured by its compressor."""

import gzip
import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

SIBLINGS: Mapping[str, str] = MappingProxyType({"br": ".br", "zstd": ".zst", "gzip": ".gz"})
"""The content codings that origins serve, the preferred first, each with the ending of its files."""

TEXTS = frozenset(
    {"html", "htm", "css", "js", "mjs", "json", "svg", "txt", "xml", "wasm", "webmanifest", "map"}
)
"""The endings of files that are compressed."""

LEAST_BYTES = 1000
"""Smaller files stay as they are: they fit a packet anyhow."""

BROTLI_QUALITY = 5
"""For a folder's files: the quality that content delivery networks use when they compress (4 to 6)."""

_FITTED_QUALITY = 1
"""For generated text, whose size on the wire is fixed: any quality reaches it, and this is the fastest."""

GZIP_LEVEL = 6
"""zlib's default."""

_FINAL = b"\x03"
"""The last meta-block of a brotli stream, empty (RFC 7932 §9.2)."""

_HEADER_BITS = 6
_LEAST_ROOM = 96
"""Below it another piece of text may not fit any more."""


def brotli_of(content: bytes) -> bytes:
    """`content` in brotli."""
    return bytes(library().compress(content, quality=BROTLI_QUALITY))


def made_of(content: bytes) -> dict[str, bytes]:
    """The codings of `content` that are smaller, by name."""
    if len(content) < LEAST_BYTES:
        return {}
    codings = {
        "br": brotli_of(content),
        "gzip": gzip.compress(content, GZIP_LEVEL, mtime=0),
    }
    return {name: coded for name, coded in codings.items() if len(coded) < len(content)}


def fitted(head: bytes, text: Callable[[int], bytes], foot: bytes, size: int) -> tuple[bytes, bytes]:
    """A text between `head` and `foot` that has exactly `size` bytes once it is compressed, and its brotli
    stream. `text` gives so many further characters; ValueError where `head` and `foot` alone need more.

    The stream ends with a meta-block of metadata (RFC 7932 §9.2), which readers pass over: some hundred bytes
    at most, where no further piece of text would have fitted."""
    brotli = library()
    compressor = brotli.Compressor(quality=_FITTED_QUALITY)
    plain, coded = bytearray(), bytearray()

    def add(piece: bytes) -> None:
        plain.extend(piece)
        coded.extend(compressor.process(piece))
        coded.extend(compressor.flush())

    add(head)
    kept = len(brotli.compress(foot, quality=_FITTED_QUALITY)) + len(_FINAL) + 16
    while (room := size - len(coded) - kept) >= _LEAST_ROOM:
        add(text(room * 2 if room > 16 * _LEAST_ROOM else room * 2 // 3))
    add(foot)
    padding = size - len(coded) - len(_FINAL)
    if padding < 0:
        raise ValueError(f"{-padding} bytes short")
    return bytes(plain), bytes(coded + _metadata(padding) + _FINAL)


def library() -> Any:
    """The brotli library, loaded when it is first needed: most commands compress nothing."""
    return importlib.import_module("brotli")


def _metadata(size: int) -> bytes:
    """Meta-blocks without content of `size` bytes in all, at a byte's beginning."""
    if size < 3:
        return _skip(0, 0) * size
    length_bytes = 1 if size - 2 <= 1 << 8 else 2
    return _skip(length_bytes, size - 1 - length_bytes)


def _skip(length_bytes: int, length: int) -> bytes:
    """One meta-block: not the last, without content (11), a zero, how many bytes tell how many follow."""
    bits = 0b0110 | length_bytes << 4
    if length_bytes:
        bits |= length - 1 << _HEADER_BITS
    return bits.to_bytes(1 + length_bytes, "little") + bytes(length)
