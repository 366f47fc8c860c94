"""Absolute addresses of the page's own recorded host are addresses of the site."""

from pathlib import Path

import pytest

from pronghorn.sites import build
from pronghorn.sites.own_host import Found, Rewriter, detect

HOSTS = ("shop.example", "www.shop.example")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<img src="https://shop.example/a.png">', '<img src="/a.png">'),
        ("<a href=http://shop.example>", "<a href=/>"),
        ('<link href="//www.shop.example/a.css?v=1">', '<link href="/a.css?v=1">'),
        ('"url":"https:\\/\\/shop.example\\/a.js"', '"url":"\\/a.js"'),
        ('"url":"https:\\/\\/shop.example"', '"url":"\\/"'),
        ("url(HTTPS://Shop.Example:8443/x)", "url(/x)"),
        ("https://shop.example?p=1", "/?p=1"),
        ("srcset='https://shop.example/1 1x, https://shop.example/2 2x'", "srcset='/1 1x, /2 2x'"),
        ("fetch('https://shop.example' + path)", "fetch('/' + path)"),
    ],
)
def test_an_own_address_is_made_relative(before: str, after: str) -> None:
    assert Rewriter(HOSTS).rewrite(before.encode()).content.decode() == after


@pytest.mark.parametrize(
    "text",
    [
        "https://other.example/a.png",
        "https://shop.example.org/a",
        "https://shop.example-cdn.org/a",
        "https://my-shop.example/a",
        "https://cdn.shop.example/a",
        "wss://shop.example/socket",
        "https://web.archive.org/web/2020/https://shop.example/a",
        "https://example.org/?u=https%3A//shop.example/a",
        "mailto:me@shop.example",
        "shop.example/a",
    ],
)
def test_any_other_address_stays(text: str) -> None:
    rewritten = Rewriter(HOSTS).rewrite(text.encode())
    assert (rewritten.content.decode(), rewritten.addresses) == (text, 0)


@pytest.mark.parametrize(
    ("folder", "page", "found"),
    [
        ("shop.example", "", Found("shop.example", "its folder's name")),
        ("WWW.Shop.example", "", Found("www.shop.example", "its folder's name")),
        ("page.html", "", None),
        ("mirror", "", None),
        ("x", "<link rel=canonical href=https://a.example/x>", Found("a.example", "<link rel=canonical>")),
        ("x", '<link href="https://a.example/" rel="canonical">', Found("a.example", "<link rel=canonical>")),
        ("x", '<meta property="og:url" content="https://a.example/x">', Found("a.example", "og:url")),
        ("x", "<base href='https://a.example/x/'>", Found("a.example", "<base href>")),
        ("x", "<base href=/x/>", None),
        (
            "x",
            "<!-- Mirrored from a.example/x by HTTrack Website Copier/3.x -->",
            Found("a.example", "the comment that HTTrack left"),
        ),
        (
            "x",
            "<!-- saved from url=(0023)https://a.example/x -->",
            Found("a.example", "the comment that the browser left"),
        ),
    ],
)
def test_the_host_is_known_by_what_a_mirror_leaves(folder: str, page: str, found: Found | None) -> None:
    assert detect(folder, page.encode()) == found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "shop.example"
    folder.mkdir()
    (folder / "index.html").write_bytes(
        b"<script src=https://shop.example/a.js></script><img src=https://cdn.example/b>"
    )
    (folder / "a.js").write_bytes(b'load("//shop.example/c.png")' + b";" * 2000)
    (folder / "a.js.br").write_bytes(b"of the former text")
    (folder / "c.png").write_bytes(b"https://shop.example/ in a picture")
    return folder


def test_a_mirrors_addresses_are_made_relative_and_counted(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    site = build(f"dir:{source}", 1, target, compressed=True)
    page = (target / "index.html").read_text()
    assert page == "<script src=/a.js></script><img src=https://cdn.example/b>"
    assert (target / "a.js").read_bytes().startswith(b'load("/c.png")')
    assert (target / "c.png").read_bytes().startswith(b"https://shop.example/")
    # What was brought compressed is another text now.
    assert (target / "a.js.br").read_bytes() != b"of the former text"
    notes = site.to_manifest()
    assert (notes["host"], notes["host_by"]) == ("shop.example", "its folder's name")
    assert notes["made_relative"] == {"addresses": 2, "files": 2}


def test_a_host_that_is_named_is_not_looked_for(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    site = build(f"dir:{source}", 1, target, hosts=["cdn.example"])
    assert "<img src=/b>" in (target / "index.html").read_text()
    assert "https://shop.example/a.js" in (target / "index.html").read_text()
    assert site.to_manifest()["host_by"] == "the experiment's key 'host'"
