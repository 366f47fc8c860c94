"""Generated sites are what their specification says, to the byte, and the same for the same seed."""

from collections import Counter
from pathlib import Path

import pytest

from pronghorn.sites import BuiltSite, build, known
from pronghorn.sites.spec import SPECIFICATIONS


def contents(root: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in root.iterdir()}


def built(spec: str, seed: int, folder: Path) -> BuiltSite:
    folder.mkdir()
    return build(spec, seed, folder)


@pytest.mark.parametrize("spec", known())
def test_a_site_has_the_bytes_and_requests_that_its_specification_says(spec: str, tmp_path: Path) -> None:
    site = build(spec, 1, tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) == SPECIFICATIONS[spec].total
    assert site.total_bytes == SPECIFICATIONS[spec].total
    assert len(site.resources) == SPECIFICATIONS[spec].requests


@pytest.mark.parametrize("seed", [0, 1, 2, 2**63])
def test_the_total_holds_for_every_seed(seed: int, tmp_path: Path) -> None:
    assert build("small", seed, tmp_path).total_bytes == 600_000


@pytest.mark.parametrize(
    ("spec", "total", "kinds", "scripts", "images"),
    [
        ("small", 600_000, {"script": 10, "image": 10}, (2_000, 100_000), (1_000, 50_000)),
        ("content", 10_000_000, {"script": 50, "image": 55}, (2_000, 1_000_000), (1_000, 1_000_000)),
        ("spa", 15_000_000, {"script": 85, "image": 30}, (2_000, 1_000_000), (1_000, 50_000)),
    ],
)
def test_counts_and_ranges_are_the_published_ones(
    spec: str,
    total: int,
    kinds: dict[str, int],
    scripts: tuple[int, int],
    images: tuple[int, int],
    tmp_path: Path,
) -> None:
    site = build(spec, 1, tmp_path)
    assert site.total_bytes == total
    assert Counter(resource.kind for resource in site.resources) == {"document": 1, **kinds}
    for kind, (low, high) in (("script", scripts), ("image", images)):
        assert all(low <= resource.size <= high for resource in site.resources if resource.kind == kind)


@pytest.mark.parametrize(("spec", "size"), [("tiny", 612), ("page-15k", 15_000), ("page-1m", 1_000_000)])
def test_a_lone_document_has_its_size(spec: str, size: int, tmp_path: Path) -> None:
    site = build(spec, 1, tmp_path)
    assert [(resource.path, resource.kind, resource.size) for resource in site.resources] == [
        ("/", "document", size)
    ]


@pytest.mark.parametrize("spec", ["small", "cms"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(spec: str, tmp_path: Path) -> None:
    first, again, other = (
        built(spec, seed, tmp_path / name) for name, seed in (("first", 7), ("again", 7), ("other", 8))
    )
    assert contents(first.root) == contents(again.root)
    assert first.resources == again.resources
    assert contents(first.root)["index.html"] != contents(other.root)["index.html"]
    assert contents(first.root)["script-01.js"] != contents(other.root)["script-01.js"]


def test_an_unknown_site_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"known are small, content, .*, dir:PATH and archive:PATH"):
        build("smal", 1, tmp_path)
