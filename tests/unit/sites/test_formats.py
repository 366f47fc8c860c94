"""What a generated site serves is what it claims to be: a browser could use it."""

import struct
import zlib

import pytest

from pronghorn.sites import png, script, sfnt, woff
from pronghorn.sites.stream import Stream

STREAM = Stream(1, "test")


@pytest.mark.parametrize("size", [200, 1_000, 1_001, 12_345, 65_535, 70_000, 333_333, 1_000_000])
def test_an_image_is_a_png_of_its_size_whose_pixels_decode(size: int) -> None:
    image = png.image(STREAM, "image", size)
    assert len(image.content) == size
    chunks = png_chunks(image.content)
    assert [kind for kind, _ in chunks] == [b"IHDR", b"prNg", b"IDAT", b"IEND"]
    assert struct.unpack(">II", chunks[0][1][:8]) == (image.width, image.height)
    rows = zlib.decompress(dict(chunks)[b"IDAT"])
    assert len(rows) == image.height * (1 + 3 * image.width)
    assert not any(rows[:: 1 + 3 * image.width])


def png_chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", content, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks.append((kind, body))
        at += 12 + length
    return chunks


@pytest.mark.parametrize("size", [4_000, 15_000, 15_001, 45_000])
def test_a_font_is_a_woff_of_its_size_whose_tables_are_those_of_the_font(size: int) -> None:
    content = woff.font(STREAM, "font-01", size)
    assert len(content) == size
    signature, _, length, count, _, unpacked = struct.unpack_from(">4sIIHHI", content)
    assert (signature, length) == (b"wOFF", size)
    tables = {}
    for index in range(count):
        tag, offset, stored, original, checksum = struct.unpack_from(">4sIIII", content, 44 + 20 * index)
        assert stored == original
        assert offset % 4 == 0
        tables[tag] = content[offset : offset + stored]
        adjustment = int.from_bytes(tables[tag][8:12], "big") if tag == b"head" else 0
        assert (word_sum(tables[tag]) - adjustment) & 0xFFFFFFFF == checksum
    assert list(tables) == [tag for tag, _ in sfnt.tables("font-01")]
    assert unpacked == 12 + 16 * count + sum(len(table) + -len(table) % 4 for table in tables.values())


def word_sum(table: bytes) -> int:
    padded = table + bytes(-len(table) % 4)
    return sum(int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4)) & 0xFFFFFFFF


def test_a_script_says_that_it_ran_and_closes_its_comment() -> None:
    text = script.script(STREAM, "script-01", 2_000).decode()
    assert len(text) == 2_000
    assert text.startswith('"use strict";(window.pronghornRan=window.pronghornRan||[]).push("script-01");/*')
    assert text.endswith("*/\n")
    assert text.count("*/") == 1


def test_no_compressor_gains_much() -> None:
    image = png.image(STREAM, "image", 50_000).content
    font = woff.font(STREAM, "font-01", 50_000)
    text = script.script(STREAM, "script-01", 50_000)
    for content, share in ((image, 0.99), (font, 0.95), (text, 0.74)):
        assert len(zlib.compress(content, 9)) > share * len(content)
