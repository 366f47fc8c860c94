"""The tables of a minimal TrueType font (ISO/IEC 14496-22): one square glyph for all printable ASCII."""

import struct

_UNITS_PER_EM = 1000
_ADVANCE = 600
_ASCENT, _DESCENT = 800, -200
_LEFT, _RIGHT, _TOP = 100, 500, 700
_FIRST, _LAST = 0x20, 0x7E
_GLYPHS = 2


def tables(family: str) -> list[tuple[bytes, bytes]]:
    """Tags and contents in the order of their tags; the head table's checkSumAdjustment is 0."""
    return [
        (b"OS/2", _os2()),
        (b"cmap", _cmap()),
        (b"glyf", _square() * _GLYPHS),
        (b"head", _head()),
        (b"hhea", _hhea()),
        (b"hmtx", struct.pack(">HhHh", _ADVANCE, _LEFT, _ADVANCE, _LEFT)),
        (b"loca", struct.pack(">III", *(index * len(_square()) for index in range(_GLYPHS + 1)))),
        (b"maxp", struct.pack(">IHHHHHHHHHHHHHH", 0x10000, _GLYPHS, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)),
        (b"name", _name(family)),
        (b"post", struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0)),
    ]


def _head() -> bytes:
    return struct.pack(
        ">IIIIHHqqhhhhHHhhh",
        0x10000, 0x10000, 0, 0x5F0F3CF5, 0b1011, _UNITS_PER_EM, 0, 0,
        _LEFT, 0, _RIGHT, _TOP, 0, 8, 2, 1, 0,
    )  # fmt: skip


def _hhea() -> bytes:
    return struct.pack(
        ">IhhhHhhhhhhhhhhhH",
        0x10000, _ASCENT, _DESCENT, 0, _ADVANCE, _LEFT, _ADVANCE - _RIGHT, _RIGHT,
        1, 0, 0, 0, 0, 0, 0, 0, _GLYPHS,
    )  # fmt: skip


def _os2() -> bytes:
    sub_and_superscript = (650, 600, 0, 75, 650, 600, 0, 350)
    strikeout = (50, 250)
    head = struct.pack(">HhHHH", 4, _ADVANCE, 400, 5, 0)
    shape = struct.pack(">10hh10x", *sub_and_superscript, *strikeout, 0)
    coverage = struct.pack(">IIII4s", 1, 0, 0, 0, b"PRNG")
    metrics = struct.pack(
        ">HHHhhhHHIIhhHHH",
        0x40, _FIRST, _LAST, _ASCENT, _DESCENT, 0, _ASCENT, -_DESCENT, 1, 0, 500, _TOP, 0, _FIRST, 1,
    )  # fmt: skip
    return head + shape + coverage + metrics


def _cmap() -> bytes:
    count = _LAST - _FIRST + 1
    segments = struct.pack(
        ">HHHHHHHHHhhHH", 4, 4, 1, 0, _LAST, 0xFFFF, 0, _FIRST, 0xFFFF, 0, 1, 4, 0
    )  # fmt: skip
    format_4 = segments + struct.pack(f">{count}H", *([1] * count))
    header = struct.pack(">HHHHI", 0, 1, 3, 1, 12)
    return header + struct.pack(">HHH", 4, 6 + len(format_4), 0) + format_4


def _square() -> bytes:
    """A simple glyph of four points on the curve; a multiple of four bytes long."""
    width = _RIGHT - _LEFT
    outline = struct.pack(">hhhhhHH", 1, _LEFT, 0, _RIGHT, _TOP, 3, 0)
    flags = b"\x01\x01\x01\x01"
    across = struct.pack(">hhhh", _LEFT, 0, width, 0)
    upwards = struct.pack(">hhhh", 0, _TOP, 0, -_TOP)
    glyph = outline + flags + across + upwards
    return glyph + bytes(-len(glyph) % 4)


def _name(family: str) -> bytes:
    texts = {1: family, 2: "Regular", 3: f"Pronghorn {family}", 4: family, 5: "Version 1.0", 6: family}
    records, storage = b"", b""
    for identifier, text in texts.items():
        encoded = text.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, identifier, len(encoded), len(storage))
        storage += encoded
    return struct.pack(">HHH", 0, len(texts), 6 + len(records)) + records + storage
