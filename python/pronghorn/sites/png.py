"""PNG images of an exact size (ISO/IEC 15948): random pixels in stored deflate blocks, padded by a
private ancillary chunk."""

import struct
import zlib
from dataclasses import dataclass
from math import isqrt

from pronghorn.sites.stream import Stream

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHUNK = 12
_PADDING = b"prNg"
_STORED_BLOCK = 65_535
_FIXED = len(_SIGNATURE) + _CHUNK + 13 + _CHUNK + _CHUNK + _CHUNK


@dataclass(frozen=True)
class Png:
    """An image file and its dimensions in pixels."""

    content: bytes
    width: int
    height: int


def image(stream: Stream, label: str, size: int) -> Png:
    """A truecolour image of `size` bytes, at least 200."""
    width = max(1, isqrt(size // 3) - 1)
    row = 1 + 3 * width
    height = (size - _FIXED - 6 - 5 * (1 + size // _STORED_BLOCK)) // row
    pixels = stream.bytes(label, height * row)
    rows = b"".join(b"\0" + pixels[at + 1 : at + row] for at in range(0, height * row, row))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = _stored(rows)
    padding = stream.bytes(f"{label} padding", size - _FIXED - len(data))
    parts = ((b"IHDR", header), (_PADDING, padding), (b"IDAT", data), (b"IEND", b""))
    return Png(_SIGNATURE + b"".join(_chunk(kind, body) for kind, body in parts), width, height)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _stored(data: bytes) -> bytes:
    """`data` as a zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4)."""
    blocks = [b"\x78\x01"]
    for at in range(0, len(data), _STORED_BLOCK):
        block = data[at : at + _STORED_BLOCK]
        final = at + _STORED_BLOCK >= len(data)
        blocks.append(struct.pack("<BHH", final, len(block), len(block) ^ 0xFFFF) + block)
    blocks.append(struct.pack(">I", zlib.adler32(data)))
    return b"".join(blocks)
