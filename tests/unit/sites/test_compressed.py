"""Text that lies there compressed: of exact size where it is generated, as it was brought where it is not."""

import gzip
from pathlib import Path

import brotli
import pytest

from pronghorn.sites import build, compression, known, lookup
from pronghorn.sites.prose import Prose
from pronghorn.sites.spec import SPECIFICATIONS
from pronghorn.sites.stream import Stream


def plain_files(root: Path) -> list[Path]:
    files = (file for file in root.rglob("*") if file.is_file() and lookup.FOLDER not in file.parts)
    return [file for file in files if file.suffix not in compression.SIBLINGS.values()]


@pytest.mark.parametrize("spec", known())
def test_a_generated_site_weighs_on_the_wire_what_its_specification_says(spec: str, tmp_path: Path) -> None:
    site = build(spec, 1, tmp_path, compressed=True)
    specification = SPECIFICATIONS[spec]
    assert site.total_bytes == specification.total
    sizes = {resource.path: resource.wire_size for resource in site.resources}
    assert sizes["/"] == specification.document
    assert len(site.resources) == specification.requests
    for file in plain_files(tmp_path):
        coded = file.with_name(file.name + ".br")
        name = "/" if file.name == "index.html" else f"/{file.name}"
        assert sizes[name] == (coded if coded.exists() else file).stat().st_size
        if coded.exists():
            assert brotli.decompress(coded.read_bytes()) == file.read_bytes()
    text = [resource for resource in site.resources if resource.coded is not None]
    assert spec == "tiny" or text
    # As minified scripts do; a document's markup compresses better.
    assert all(2 < resource.size / resource.wire_size < 12 for resource in text)
    assert site.to_manifest()["bytes_decoded"] == sum(one.size for one in site.resources)


def test_the_same_seed_gives_the_same_compressed_site(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("first", "again", "other")]
    for root, seed in zip(roots, (7, 7, 8), strict=True):
        root.mkdir()
        build("small", seed, root, compressed=True)
    first, again, other = ({file.name: file.read_bytes() for file in plain_files(root)} for root in roots)
    assert first == again
    assert first["index.html"] != other["index.html"]


@pytest.mark.parametrize("size", [*range(1500, 1530), 20_000, 300_000])
def test_a_text_compresses_to_the_byte(size: int) -> None:
    prose = Prose(Stream(1, "test"), str(size))
    plain, coded = compression.fitted(b"<p>", prose.take, b"</p>\n", size)
    assert len(coded) == size
    assert brotli.decompress(coded) == plain
    assert plain.startswith(b"<p>") and plain.endswith(b"</p>\n")
    # What fills the rest is some hundred bytes at most.
    assert len(coded.removesuffix(b"\3").rstrip(b"\0")) > size - 300


def test_what_has_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="bytes short"):
        compression.fitted(Stream(1, "test").bytes("head", 900), lambda count: bytes(count), b"", 800)


def test_what_would_not_be_smaller_stays_as_it_is() -> None:
    assert compression.made_of(Stream(1, "test").bytes("random", 5000)) == {}
    assert compression.made_of(b"a" * (compression.LEAST_BYTES - 1)) == {}
    made = compression.made_of(b"a" * 5000)
    assert list(made) == ["br", "gzip"]
    assert gzip.decompress(made["gzip"]) == b"a" * 5000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "index.html").write_bytes(b"<!DOCTYPE html><p>Home")
    (folder / "made.css").write_bytes(b"p {}" * 500)
    (folder / "brought.js").write_bytes(b"x();" * 500)
    (folder / "brought.js.gz").write_bytes(b"its own")
    (folder / "photo.png").write_bytes(b"p" * 5000)
    (folder / "alone.tar.gz").write_bytes(b"archive")
    return folder


def test_a_folders_text_gets_what_it_lacks_and_keeps_what_it_brought(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    site = build(f"dir:{source}", 1, target, compressed=True)
    sizes = {one.path: (one.size, one.coded) for one in site.resources}
    made = len((target / "made.css.br").read_bytes())
    assert made < 100
    assert sizes == {
        "/": (22, None),
        "/made.css": (2000, made),
        "/brought.js": (2000, 7),
        "/photo.png": (5000, None),
        "/alone.tar.gz": (7, None),
    }
    assert gzip.decompress((target / "made.css.gz").read_bytes()) == b"p {}" * 500
    assert (target / "brought.js.gz").read_bytes() == b"its own"
    assert not (target / "brought.js.br").exists()
    assert not (target / "photo.png.br").exists()
    assert site.total_bytes == 22 + made + 7 + 5000 + 7
    entries = {entry.paths: entry.codings for entry in lookup.read(target)}
    assert entries == {("/brought.js",): ("gzip",), ("/made.css",): ("br", "gzip")}
    css = next(entry for entry in lookup.read(target) if entry.paths == ("/made.css",))
    assert (target / ".pronghorn/br" / css.name).read_bytes() == (target / "made.css.br").read_bytes()
    assert css.name.endswith(".css")


def test_a_site_that_is_not_compressed_is_as_it_always_was(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    site = build(f"dir:{source}", 1, target)
    paths = sorted(one.path for one in site.resources)
    assert paths == ["/", "/alone.tar.gz", "/brought.js", "/made.css", "/photo.png"]
    assert sorted(file.name for file in target.iterdir()) == [
        "alone.tar.gz",
        "brought.js",
        "index.html",
        "made.css",
        "photo.png",
    ]
    assert lookup.read(target) == ()
