"""Content codings undone within bounds: what is broken or would burst is told, and memory stays small."""

import gzip
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from pronghorn.sites import codings

TEXT = b"a page's text, and some more of it; " * 900
MOST = 2**20
ZEROS = bytes(64 * MOST)
BOMBS = {
    "gzip": gzip.compress(ZEROS),
    "deflate": zlib.compress(ZEROS),
    "br": brotli.compress(ZEROS, quality=1),
    "zstd": zstandard.ZstdCompressor().compress(ZEROS),
}
CODINGS = list(BOMBS)


@pytest.mark.parametrize("coding", CODINGS)
def test_what_was_applied_is_undone(coding: str) -> None:
    assert codings.undone(codings.applied(TEXT, [coding]), [coding]) == TEXT


@pytest.mark.parametrize("coding", CODINGS)
def test_a_bomb_is_told_and_never_unpacked(coding: str) -> None:
    tracemalloc.start()
    with pytest.raises(codings.Undecodable, match="more than 1048576 bytes"):
        codings.undone(BOMBS[coding], [coding], MOST)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MOST


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("spoil", ["cut", "half", "flipped", "another"])
def test_broken_bodies_are_told(coding: str, spoil: str) -> None:
    whole = codings.applied(TEXT, [coding])
    spoilt = {
        "cut": whole[:-4],
        "half": whole[: len(whole) // 2],
        "flipped": bytes([whole[0] ^ 0x55]) + whole[1:],
        "another": b"<html>this is not compressed at all</html>",
    }[spoil]
    with pytest.raises(codings.Undecodable):
        codings.undone(spoilt, [coding])


def test_several_members_and_frames_are_one_body() -> None:
    for coding in ("gzip", "zstd"):
        parts = [codings.applied(part, [coding]) for part in (TEXT, b"x", TEXT[:5000])]
        assert codings.undone(b"".join(parts), [coding]) == TEXT + b"x" + TEXT[:5000]


def test_raw_deflate_is_read_as_browsers_do() -> None:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    raw = compressor.compress(TEXT) + compressor.flush()
    assert codings.undone(raw, ["deflate"]) == TEXT


def test_codings_are_named_in_their_order() -> None:
    assert codings.named("gzip, BR ,identity") == ["gzip", "br"]
    assert codings.named("x-gzip") == ["gzip"]
    assert codings.undone(codings.applied(TEXT, ["gzip", "br"]), ["gzip", "br"]) == TEXT
    with pytest.raises(codings.Undecodable, match="not known"):
        codings.undone(TEXT, ["compress"])
    with pytest.raises(codings.Undecodable, match="more than three"):
        codings.undone(TEXT, ["gzip"] * 9)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
@pytest.mark.parametrize("size", [2**20 - 1, 2**20, 2 * 2**20, 5 * 2**20 + 7])
def test_large_texts_come_back_whole(coding: str, size: int) -> None:
    words = b"".join(b"word %d, " % number for number in range(size // 8))[:size]
    assert codings.undone(codings.applied(words, [coding]), [coding]) == words


def test_raw_deflate_that_ends_with_the_input_comes_whole() -> None:
    zeros = bytes(2**20 + 5)
    encoder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    assert codings.undone(encoder.compress(zeros) + encoder.flush(), ["deflate"]) == zeros


def test_many_members_of_gzip_are_read_in_their_order() -> None:
    members = b"".join(gzip.compress(b"%d," % number, mtime=0) for number in range(3000))
    assert codings.undone(members, ["gzip"]) == b"".join(b"%d," % number for number in range(3000))
