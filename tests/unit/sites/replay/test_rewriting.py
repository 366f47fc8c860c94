"""Archives rewritten before they are replayed."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn import sites
from pronghorn.errors import InputError
from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, Host, limits
from pronghorn.sites.built import BuiltSite
from pronghorn.sites.replay import answers, steps

from .archives import OTHER, OWN, archive

PAGE = (
    b'<link rel=stylesheet href="https://b.test/s.css" integrity="sha256-AAAA=">'
    b"<script src=//B.test/x.js integrity=sha384-abc></script>"
    b'<script>x={\\"integrity\\":\\"sha384-a sha512-b\\"}</script>'
    b"<meta http-equiv='Content-Security-Policy' content='script-src b.test'>"
    b"<script>fetch('https:\\/\\/b.test\\/j.json', '\\u002F\\u002Fb.test/y')</script>"
    b"<img src=//b.test:443/i.png>"
    b"<p>b.test, https://b.test.other/, https://c.test/x</p>"
)
HTML = ("Content-Type", "text/html")
DOCUMENT: dict[str, Any] = {
    "url": "https://a.test/",
    "kind": "document",
    "body": gzip.compress(PAGE, mtime=0),
    "wait_s": 0.1,
    "headers": [
        HTML,
        ("Content-Encoding", "gzip"),
        ("Link", "<https://b.test/s.css>; rel=preload"),
        ("Content-Security-Policy", "script-src 'sha256-AAAA='"),
    ],
}
EXCHANGES: tuple[dict[str, Any], ...] = (
    DOCUMENT,
    {"url": "https://b.test/s.css", "kind": "style", "initiator": 1, "body": b"a{}", "priority": "VeryHigh"},
    {"url": "https://b.test/j.json", "how": "preflight", "method": "OPTIONS", "initiator": 1},
    {
        "url": "https://b.test/j.json",
        "kind": "fetch",
        "initiator": 3,
        "body": b'"https://b.test/more"',
        "headers": [("Content-Type", "application/json")],
    },
    {"url": "https://b.test/i.png", "kind": "image", "initiator": 2, "body": b"//b.test/", "priority": "Low"},
    {"url": "https://c.test/", "kind": "document", "initiator": 1, "body": b"another page"},
    {"url": "https://c.test/x", "kind": "other", "initiator": 6},
)
HOSTS = {"a.test": OWN, "b.test": OTHER, "c.test": Host(first_party=False, protocols=("h2", "h3"))}


@pytest.fixture
def found(tmp_path: Path) -> Archive:
    return archive(tmp_path / "archive", *EXCHANGES, hosts=HOSTS)


def built(found: Archive, rewritings: str) -> BuiltSite:
    root = found.folder.parent / f"root{rewritings}"
    root.mkdir()
    return sites.build(f"archive:{found.folder}{rewritings}", 1, root)


def steps_of(site: BuiltSite) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads((site.root / steps.FILE).read_text())
    return told


def urls(site: BuiltSite) -> list[str]:
    return [f"https://{one['host']}{one['target']}" for one in steps_of(site)]


def answered(site: BuiltSite) -> dict[tuple[str, str], answers.Answer]:
    return {(one.host, one.target): one for one in answers.read(site.root)}


def rewritten(folder: Path, words: str, *exchanges: dict[str, Any], **more: Any) -> BuiltSite:
    return built(archive(folder / "archive", *exchanges, **{"hosts": HOSTS, **more}), words)


def test_all_moves_to_the_pages_host_but_what_it_answers_otherwise(found: Archive) -> None:
    site = built(found, "+one-host")
    # The root of c.test is another page than a.test's. The preflight's request is the page's now.
    assert urls(site) == [
        "https://a.test/",
        "https://a.test/s.css",
        "https://a.test/j.json",
        "https://a.test/i.png",
        "https://c.test/",
        "https://c.test/x",
    ]
    assert [one["initiator"] for one in steps_of(site)] == [None, 0, 0, 1, 0, 4]
    assert site.notes["on_their_own_hosts"] == ["c.test"]
    assert site.notes["left_out"] == {"the same on one host": 1}


def test_names_are_replaced_in_texts_and_headers_and_nowhere_else(found: Archive) -> None:
    site = built(found, "+one-host")
    told = answered(site)
    page = told["a.test", "/"]
    content = (site.root / answers.BODIES / str(page.body)).read_bytes()
    assert codings.undone(content, ["gzip"]) == (
        b'<link rel=stylesheet href="https://a.test/s.css" integrity="x">'
        b"<script src=//a.test/x.js integrity=x></script>"
        b'<script>x={\\"integrity\\":\\"x\\"}</script>'
        b"<script>fetch('https:\\/\\/a.test\\/j.json', '\\u002F\\u002Fa.test/y')</script>"
        b"<img src=//a.test/i.png>"
        b"<p>b.test, https://b.test.other/, https://c.test/x</p>"
    )
    assert ("link", "<https://a.test/s.css>; rel=preload") in page.headers
    assert "content-security-policy" not in dict(page.headers)
    data = site.root / answers.BODIES / str(told["a.test", "/j.json"].body)
    assert data.read_bytes() == b'"https://a.test/more"'
    assert told["a.test", "/i.png"].body == found.exchanges[4].body


def test_the_documents_host_is_the_one_that_redirects_lead_to(tmp_path: Path) -> None:
    site = rewritten(
        tmp_path,
        "+one-host",
        {
            "url": "https://a.test/",
            "kind": "document",
            "status": 301,
            "headers": [("Location", "https://b.test/")],
        },
        {"url": "https://b.test/", "kind": "document", "initiator": 1, "how": "redirect", "body": b"page"},
        {"url": "https://c.test/x.js", "kind": "script", "initiator": 2},
        {"url": "https://a.test/y.js", "kind": "script", "initiator": 2},
    )
    assert urls(site) == ["https://a.test/", "https://b.test/", "https://b.test/x.js", "https://b.test/y.js"]


@pytest.mark.parametrize("host", ["a.test", "b.test"])
@pytest.mark.parametrize("location", ["https://c.test/i.png", "http://c.test/i.png", "//c.test/i.png#part"])
def test_a_redirect_to_what_is_the_same_url_now_is_made_no_longer(
    tmp_path: Path, host: str, location: str
) -> None:
    site = rewritten(
        tmp_path,
        "+one-host",
        {**DOCUMENT, "receive_s": 0.1},
        {
            "url": f"https://{host}/i.png",
            "initiator": 1,
            "status": 301,
            "start_s": 0.3,
            "headers": [("Location", location)],
        },
        {"url": "https://c.test/i.png", "initiator": 2, "how": "redirect", "start_s": 0.4, "body": b"image"},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/i.png"]
    assert answered(site)["a.test", "/i.png"].status == 200


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"status": 302, "headers": [("Location", "/x")]}, {"status": 302, "headers": [("Location", "/z")]}),
        ({"body": b"1", "headers": [HTML]}, {"body": b"1", "headers": [("Content-Type", "text/css")]}),
        ({"body": b"1"}, {"body": b"2"}),
    ],
)
def test_a_host_that_answers_otherwise_stays(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any]
) -> None:
    site = rewritten(
        tmp_path,
        "+one-host",
        DOCUMENT,
        {"url": "https://b.test/t?cb=1", "initiator": 1, **one},
        {"url": "https://c.test/t?cb=2", "initiator": 1, **other},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/t?cb=1", "https://c.test/t?cb=2"]


def test_a_chain_of_redirects_for_one_path_ends_on_one_host(tmp_path: Path) -> None:
    def led(host: str, to: str, **more: Any) -> dict[str, Any]:
        return {
            "url": f"https://{host}/i",
            "status": 302,
            "headers": [("Location", f"https://{to}/i")],
            **more,
        }

    site = rewritten(
        tmp_path,
        "+one-host",
        DOCUMENT,
        led("a.test", "b.test", initiator=1),
        led("b.test", "c.test", initiator=2, how="redirect"),
        {"url": "https://c.test/i", "initiator": 3, "how": "redirect", "body": b"image"},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/i"]
    assert "on_their_own_hosts" not in site.notes


def test_redirects_to_http_lead_to_the_document_too(tmp_path: Path) -> None:
    def led(url: str, to: str, **more: Any) -> dict[str, Any]:
        return {"url": url, "kind": "document", "status": 301, "headers": [("Location", to)], **more}

    site = rewritten(
        tmp_path,
        "+one-host",
        led("https://a.test/", "http://b.test/"),
        led("http://b.test/", "https://b.test/", initiator=1, how="redirect"),
        {"url": "https://b.test/", "kind": "document", "initiator": 2, "how": "redirect", "body": b"page"},
        {"url": "https://c.test/x.js", "kind": "script", "initiator": 3},
    )
    assert urls(site) == ["https://a.test/", "https://b.test/", "https://b.test/x.js"]


def test_what_one_host_had_twice_is_asked_for_twice(tmp_path: Path) -> None:
    poll = {"url": "https://b.test/poll", "initiator": 1, "body": b"none"}
    assert len(urls(rewritten(tmp_path, "+one-host", DOCUMENT, poll, poll))) == 3


def test_what_is_left_out_stands_in_for_nothing(tmp_path: Path) -> None:
    """Another host's file that was asked for by an image is not made; the page's own request for it is."""
    site = rewritten(
        tmp_path,
        "+one-host+no-images",
        DOCUMENT,
        {"url": "https://b.test/i.svg", "kind": "image", "initiator": 1},
        {"url": "https://b.test/lib.js", "kind": "script", "initiator": 2, "body": b"lib"},
        {"url": "https://c.test/lib.js", "kind": "script", "initiator": 1, "body": b"lib"},
        {"url": "https://a.test/more", "initiator": 4},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/lib.js", "https://a.test/more"]


def test_a_long_chain_of_preflights_is_passed_over(tmp_path: Path) -> None:
    preflight = {"url": "https://b.test/p", "how": "preflight", "method": "OPTIONS"}
    chain = [{**preflight, "initiator": number} for number in range(1, 1500)]
    site = rewritten(tmp_path, "+one-host", DOCUMENT, *chain, {"url": "https://b.test/x", "initiator": 1500})
    assert [one["initiator"] for one in steps_of(site)] == [None, 0]


def test_what_two_hosts_have_is_loaded_once(tmp_path: Path) -> None:
    site = rewritten(
        tmp_path,
        "+one-host",
        DOCUMENT,
        {"url": "https://b.test/lib.js", "kind": "script", "initiator": 1, "body": b"lib"},
        {"url": "https://c.test/lib.js", "kind": "script", "initiator": 1, "body": b"lib"},
        {"url": "https://a.test/after", "initiator": 3, "start_s": 0.1},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/lib.js", "https://a.test/after"]
    assert [one["initiator"] for one in steps_of(site)] == [None, 0, 1]


SLOW: tuple[dict[str, Any], ...] = (
    {**DOCUMENT, "wait_s": 0.03, "receive_s": 0.01},
    {"url": "https://a.test/t.js", "kind": "script", "initiator": 1, "start_s": 0.05, "wait_s": 0.05},
    {
        "url": "https://b.test/i.png",
        "kind": "image",
        "initiator": 1,
        "start_s": 0.06,
        "wait_s": 0.104,
        "receive_s": 1.8,
    },
    {
        "url": "https://c.test/p",
        "kind": "fetch",
        "how": "preflight",
        "initiator": 2,
        "start_s": 1.97,
        "wait_s": 0.3,
    },
    {
        "url": "https://c.test/p",
        "kind": "fetch",
        "how": "script",
        "initiator": 2,
        "start_s": 2.28,
        "wait_s": 0.1,
    },
)


@pytest.mark.parametrize("words", ["+one-host", "+no-images", "+no-third-parties", "+one-host+no-images"])
def test_leaving_out_and_moving_make_no_time_of_the_networks_one_of_computing(
    tmp_path: Path, words: str
) -> None:
    """Nor do they change what servers take, or which requests are of the load."""
    found = archive(tmp_path / "archive", *SLOW, hosts=HOSTS)
    before, after = built(found, ""), built(found, words)
    computed = {(one["target"], one["method"], one["compute_s"]) for one in steps_of(before)}
    assert {(one["target"], one["method"], one["compute_s"]) for one in steps_of(after)} <= computed
    thought = {(one.target, one.method, one.think_s) for one in answers.read(before.root)}
    assert {(one.target, one.method, one.think_s) for one in answers.read(after.root)} <= thought
    assert "/t.js" in {one["target"] for one in steps_of(after)}


@pytest.mark.parametrize("words", ["+no-third-parties", "+one-host+no-third-parties"])
def test_third_parties_are_left_out_with_all_that_they_set_off(tmp_path: Path, words: str) -> None:
    site = rewritten(
        tmp_path,
        words,
        DOCUMENT,
        {"url": "https://b.test/tag.js", "initiator": 1},
        {"url": "https://a.test/by-tag", "initiator": 2},
        {"url": "https://a.test/own", "initiator": 1},
    )
    assert urls(site) == ["https://a.test/", "https://a.test/own"]
    # The page itself may ask for its own file, where the third party doesn't.
    assert set(answered(site)) == {("a.test", "/"), ("a.test", "/own"), ("a.test", "/by-tag")}
    assert site.notes["left_out"] == {"third party": 2}


def test_a_page_that_is_a_third_party_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without third parties its page is left out"):
        rewritten(tmp_path, "+no-third-parties", DOCUMENT, hosts={"a.test": OTHER})


def test_images_are_not_asked_for_but_answered_where_a_browser_asks(found: Archive) -> None:
    site = built(found, "+no-images")
    assert "https://b.test/i.png" not in urls(site)
    assert ("b.test", "/i.png") in answered(site)
    assert site.replay is not None
    assert not site.replay.images
    assert site.notes["left_out"] == {"image": 1}


def test_a_text_that_would_grow_beyond_bounds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_BODY", 100_000)
    page = f"https://{'a' * 60}.test/"
    grown = {
        "url": page,
        "kind": "document",
        "body": gzip.compress(b"//b.test " * 5000),
        "headers": DOCUMENT["headers"],
    }
    hosts = {f"{'a' * 60}.test": OWN, "b.test": OTHER}
    with pytest.raises(InputError, match="would have more than 100000 characters"):
        rewritten(tmp_path, "+one-host", grown, {"url": "https://b.test/x"}, hosts=hosts, page=page)


@pytest.mark.parametrize(
    ("rewriting", "highest"),
    [
        ("", {"a.test": "h3", "b.test": "h2", "c.test": "h3"}),
        ("+first-party-h3", {"a.test": "h3", "b.test": "h2", "c.test": "h2"}),
        ("+all-h3", {"a.test": "h3", "b.test": "h3", "c.test": "h3"}),
    ],
)
def test_hosts_speak_what_is_asked_for(found: Archive, rewriting: str, highest: dict[str, str]) -> None:
    site = built(found, rewriting)
    assert site.replay is not None
    assert {name: host.highest for name, host in site.replay.hosts.items()} == highest


@pytest.mark.parametrize(
    ("rewriting", "urgencies", "incremental"),
    [
        ("", [None, 0, None, None, 3, None, None], None),
        ("+equal-priorities", [3] * 7, False),
        ("+round-robin", [3] * 7, True),
    ],
)
def test_priorities_are_what_is_asked_for(
    found: Archive, rewriting: str, urgencies: list[int | None], incremental: bool | None
) -> None:
    told = steps_of(built(found, rewriting))
    assert [one["urgency"] for one in told] == urgencies
    assert {one["incremental"] for one in told} == {incremental}
