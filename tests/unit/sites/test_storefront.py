"""The shipped archive `storefront` is what its program makes, and a shop's page as they are."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, Exchange, read
from pronghorn.sites.shipped import folder
from pronghorn.sites.storefront import make

FOLDER = folder("storefront")

BY_COMPRESSOR = {"body", "body_bytes", "headers"}
"""What of a request depends on the version of brotli or zlib."""


@pytest.fixture(scope="module")
def shipped() -> Archive:
    """The archive that everybody has."""
    return read(FOLDER)


def told(archive: Archive) -> Iterator[dict[str, Any]]:
    """Its requests, with bodies decoded."""
    for one in archive.exchanges:
        headers = [pair for pair in one.headers if pair[0] != "content-length"]
        yield {**one.model_dump(exclude=BY_COMPRESSOR), "headers": headers, "body": decoded(archive, one)}


def decoded(archive: Archive, one: Exchange) -> bytes:
    """A body without its coding."""
    body = archive.body(one.body) if one.body is not None else b""
    return codings.undone(body, codings.named(one.header("content-encoding")))


def test_it_is_what_its_program_makes(shipped: Archive, tmp_path: Path) -> None:
    make(tmp_path / "made")
    made = read(tmp_path / "made")
    assert made.site == shipped.site
    for one, other in zip(told(made), told(shipped), strict=True):
        assert one == other, one["url"]


def test_it_is_as_large_as_a_shop_s_page_and_has_eight_hosts(shipped: Archive) -> None:
    assert 90 <= len(shipped.exchanges) <= 130
    assert 1.8e6 < shipped.total_bytes < 2.2e6
    assert len(shipped.site.hosts) == 8
    assert all(name.endswith(".example") for name in shipped.site.hosts)
    others = [host for host in shipped.site.hosts.values() if not host.first_party]
    assert Counter(host.protocols[-1] for host in others) == {"h1": 1, "h2": 1, "h3": 2}


def test_it_has_what_pages_have(shipped: Archive) -> None:
    asked = {(one.method, one.status) for one in shipped.exchanges}
    assert asked == {("GET", 200), ("GET", 302), ("OPTIONS", 204), ("POST", 200), ("POST", 204)}
    kinds = Counter(one.kind for one in shipped.exchanges)
    assert kinds.keys() == {"document", "script", "style", "image", "font", "fetch"}
    assert kinds["document"] == 3
    assert {one.header("content-encoding") for one in shipped.exchanges} == {None, "br", "gzip"}
    hows = {one.how for one in shipped.exchanges[1:]}
    assert hows == {"parser", "script", "redirect", "preload", "style", "preflight"}


def test_no_file_lies_in_it_that_nothing_names(shipped: Archive) -> None:
    named = {digest for one in shipped.exchanges for digest in (one.body, one.request_body)} - {None}
    assert {one.name for one in (FOLDER / "bodies").rglob("*") if one.is_file()} == named
