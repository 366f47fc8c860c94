"""Bodies made up: of the recorded sizes, the same each time, and such that a browser reads them."""

import pytest

from pronghorn.archiving import seeded
from pronghorn.sites import codings

SIZES = [(1000, 3000), (20_000, 60_000), (20_000, 200_000), (5000, 6500), (150_000, 300_000)]


@pytest.mark.parametrize("coding", ["br", "gzip", "zstd", "deflate"])
@pytest.mark.parametrize(("coded", "decoded"), SIZES)
def test_a_body_has_the_recorded_sizes(coding: str, coded: int, decoded: int) -> None:
    body = seeded.made("https://a.example/x.js", "script", [coding], coded=coded, decoded=decoded)
    assert len(codings.applied(body, [coding])) == pytest.approx(coded, rel=0.03)
    assert len(body) == pytest.approx(max(decoded, coded / 0.755), rel=0.03)


@pytest.mark.parametrize("kind", ["document", "script", "style", "fetch", "image", "font", "other"])
@pytest.mark.parametrize("size", [0, 1, 5, 12, 80, 4321])
def test_without_a_coding_its_size_is_exact(kind: str, size: int) -> None:
    assert len(seeded.made("x", kind, [], coded=size, decoded=None)) == size


def test_the_same_label_gives_the_same_bytes_and_another_others() -> None:
    one, again, other = (seeded.made(label, "image", [], coded=900, decoded=900) for label in ("a", "a", "b"))
    assert one == again
    assert one != other


def test_a_document_asks_for_what_it_asked_for() -> None:
    asks = [("https://a.example/s.css?a=1&b=2", "style"), ("https://a.example/i.png", "image")]
    body = seeded.made("x", "document", [], coded=2000, decoded=None, asks=asks)
    assert b'<link rel="stylesheet" href="https://a.example/s.css?a=1&amp;b=2">' in body
    assert body.startswith(b"<!doctype html>")
    assert body.endswith(b" -->\n")
    assert len(seeded.made("x", "document", [], coded=60, decoded=None, asks=asks * 50)) == 60
