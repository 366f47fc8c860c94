"""HAR files as twelve makers shape them: one made page, seven requests to two hosts."""

from pathlib import Path
from typing import NamedTuple

import pytest

from pronghorn.importing import bring
from pronghorn.sites.archive import Archive, read

from .archives import decoded

HARS = Path(__file__).parent / "hars"
SHOP, CDN = "https://shop.example", "https://cdn.example"
URLS = [
    "http://shop.example/",
    f"{SHOP}/",
    f"{SHOP}/s.css",
    f"{CDN}/a.js",
    f"{SHOP}/i.png",
    f"{SHOP}/bg.png",
    f"{SHOP}/api",
]
KINDS = ["document", "document", "style", "script", "image", "image", "fetch"]
HOWS = ["other", "redirect", "parser", "parser", "parser", "style", "script"]
PARENTS = [None, 1, 2, 2, 2, 3, 4]


class Made(NamedTuple):
    """What a maker's file gives: bodies made up, requests left out, the protocols of shop.example, the round
    trip of its handshake in seconds."""

    made: int
    left_out: dict[str, int]
    protocols: tuple[str, ...]
    rtt_s: float | None = None
    repaired: dict[str, int] | None = None


MAKERS = {
    "browsertime": Made(6, {"of another page": 7}, ("h1", "h2"), 0.0248),
    "charles": Made(0, {"failed or aborted": 1}, ("h1", "h2"), 0.011),
    "chrome": Made(
        0,
        {
            "WebSocket": 1,
            "answered by the browser's cache": 1,
            "failed or aborted": 1,
            "not http or https": 1,
        },
        ("h1", "h2"),
        0.012,
    ),
    "fiddler": Made(0, {"proxy tunnel": 1}, ("h1",), 0.01),
    "firefox": Made(0, {"failed or aborted": 1}, ("h1", "h2"), 0.002),
    "internet-explorer": Made(0, {}, ("h1",), repaired={"response taken from the browser's cache": 1}),
    "mitmproxy": Made(0, {}, ("h1", "h2"), 0.0123),
    "playwright": Made(0, {}, ("h1", "h2"), 0.01),
    "safari": Made(0, {}, ("h2",), 0.01, {"response taken from the browser's cache": 1}),
    "webpagetest": Made(6, {"of another page": 7}, ("h1", "h2"), 0.01),
}
WITHOUT_REDIRECT, WITHOUT_FETCH = {"safari"}, {"internet-explorer"}
TELL_INITIATORS = {"browsertime", "chrome", "webpagetest"}


@pytest.fixture(params=MAKERS)
def maker(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def archive(maker: str, tmp_path: Path) -> Archive:
    bring(HARS / f"{maker}.har", tmp_path / "archive")
    return read(tmp_path / "archive")


def test_every_request_is_there_with_its_kind_and_in_its_order(archive: Archive, maker: str) -> None:
    urls = [url for url in URLS if not (maker in WITHOUT_REDIRECT and url == URLS[0])]
    urls = [url for url in urls if not (maker in WITHOUT_FETCH and url == URLS[-1])]
    assert [one.url for one in archive.exchanges] == urls
    kinds = dict(zip(URLS, KINDS, strict=True))
    assert [one.kind for one in archive.exchanges] == [kinds[url] for url in urls]
    assert archive.page.id == 1
    assert all(one.wait_s > 0 for one in archive.exchanges)


def test_each_request_was_asked_for_as_it_was(archive: Archive, maker: str) -> None:
    by_url = {one.url: one for one in archive.exchanges}
    parents = {
        url: None if parent is None else URLS[parent - 1] for url, parent in zip(URLS, PARENTS, strict=True)
    }
    hows = dict(zip(URLS, HOWS, strict=True))
    if maker == "browsertime":
        hows[URLS[3]] = "preload"
    if maker in WITHOUT_REDIRECT:
        parents[URLS[1]], hows[URLS[1]] = None, "other"
    if maker not in TELL_INITIATORS:
        # Its Referer is the page's: that it was the script which asked is not known.
        parents[URLS[-1]] = URLS[1]
    for url, one in by_url.items():
        asked_by = archive.exchanges[one.initiator - 1].url if one.initiator else None
        assert (asked_by, one.how) == (parents[url], hows[url]), url
        assert one.document is None


def test_bodies_are_as_they_were_and_coded_as_they_were(archive: Archive, maker: str) -> None:
    made = MAKERS[maker].made
    assert archive.site.made.bodies == made
    if made:
        assert all(one.made for one in archive.exchanges if one.body is not None)
        return
    by_url = {one.url: one for one in archive.exchanges}
    page, style = by_url[URLS[1]], by_url[URLS[2]]
    assert "Käse".encode() in decoded(archive, page.id)
    assert page.header("content-encoding") == "gzip"
    assert page.recoded
    assert decoded(archive, style.id) == b"body{background:url(/bg.png)}"
    assert decoded(archive, by_url[URLS[4]].id).startswith(b"\x89PNG\r\n\x1a\n")
    assert not by_url[URLS[4]].recoded
    assert all(
        one.body_bytes == int(one.header("content-length") or one.body_bytes) for one in by_url.values()
    )


def test_what_is_left_out_or_put_right_is_counted(archive: Archive, maker: str) -> None:
    assert archive.site.left_out == MAKERS[maker].left_out
    assert archive.site.repaired == (MAKERS[maker].repaired or {})


def test_hosts_have_their_protocols_and_round_trips(archive: Archive, maker: str) -> None:
    shop, cdn = archive.site.hosts["shop.example"], archive.site.hosts["cdn.example"]
    assert shop.protocols == MAKERS[maker].protocols
    assert "h3" in cdn.protocols
    assert (shop.first_party, cdn.first_party) == (True, False)
    rtt_s = MAKERS[maker].rtt_s
    assert shop.rtt_s == (pytest.approx(rtt_s) if rtt_s else None)
    assert not any(":" in name for one in archive.exchanges for name, _ in one.headers)


def test_bodies_that_a_maker_lacks_have_the_recorded_size(tmp_path: Path) -> None:
    bring(HARS / "webpagetest.har", tmp_path / "archive")
    archive = read(tmp_path / "archive")
    sizes = {one.url: one.body_bytes for one in archive.exchanges}
    assert sizes[f"{SHOP}/i.png"] == 5120
    assert sizes[f"{SHOP}/"] == pytest.approx(2050, rel=0.02)
    assert len(decoded(archive, 2)) == pytest.approx(4 * 2050, rel=0.02)
    assert b"https://cdn.example/a.js" in decoded(archive, 2)


@pytest.mark.parametrize("page", ["2", "page_2_0_1"])
def test_another_page_is_taken_by_its_number_or_id(tmp_path: Path, page: str) -> None:
    bring(HARS / "webpagetest.har", tmp_path / "archive", page=page)
    assert {one.connection for one in read(tmp_path / "archive").exchanges} == {"102"}
