"""Web fonts of an exact size: WOFF 1.0 (W3C Recommendation, 2012) with uncompressed tables, padded by its
private data block (§7), which a browser passes over."""

import struct

from pronghorn.sites import sfnt
from pronghorn.sites.stream import Stream

_HEADER = 44
_DIRECTORY_ENTRY = 20
_TRUETYPE = 0x10000
_CHECKSUM_MAGIC = 0xB1B0AFBA
_ADJUSTMENT_AT = 8


def font(stream: Stream, label: str, size: int) -> bytes:
    """A font of `size` bytes, at least 4000, of the family `label` (ASCII, no spaces)."""
    plain = sfnt.tables(label)
    checksums = {tag: _checksum(content) for tag, content in plain}
    tables = _adjusted(plain)
    offset = _HEADER + _DIRECTORY_ENTRY * len(tables)
    directory, body = b"", b""
    for tag, content in tables:
        directory += struct.pack(
            ">4sIIII", tag, offset + len(body), len(content), len(content), checksums[tag]
        )
        body += _padded(content)
    private_at = offset + len(body)
    private = stream.bytes(label, size - private_at)
    header = struct.pack(
        ">4sIIHHIHHIIIII",
        b"wOFF", _TRUETYPE, size, len(tables), 0, len(_sfnt(tables)), 1, 0, 0, 0, 0, private_at, len(private),
    )  # fmt: skip
    return header + directory + body + private


def _adjusted(tables: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """`tables` with the checkSumAdjustment that the unpacked font has to have (ISO/IEC 14496-22, head)."""
    whole = _checksum(_sfnt(tables))
    return [
        (
            tag,
            content[:_ADJUSTMENT_AT]
            + struct.pack(">I", (_CHECKSUM_MAGIC - whole) & 0xFFFFFFFF)
            + content[_ADJUSTMENT_AT + 4 :]
            if tag == b"head"
            else content,
        )
        for tag, content in tables
    ]


def _sfnt(tables: list[tuple[bytes, bytes]]) -> bytes:
    power = len(tables).bit_length() - 1
    search_range = 16 << power
    header = struct.pack(
        ">IHHHH", _TRUETYPE, len(tables), search_range, power, 16 * len(tables) - search_range
    )
    offset = len(header) + 16 * len(tables)
    directory, body = b"", b""
    for tag, content in tables:
        directory += struct.pack(">4sIII", tag, _checksum(content), offset + len(body), len(content))
        body += _padded(content)
    return header + directory + body


def _checksum(content: bytes) -> int:
    padded = _padded(content)
    return sum(int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4)) & 0xFFFFFFFF


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
