"""Archives rewritten before they are replayed."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn import sites
from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, Host
from pronghorn.sites.built import BuiltSite
from pronghorn.sites.replay.rewriting import rewritten

from .archives import OTHER, OWN, archive

PAGE = (
    b'<link rel=stylesheet href="https://b.test/s.css" integrity="sha256-AAAA=">'
    b"<script>fetch('https:\\/\\/b.test\\/j.json')</script><img src=//b.test:443/i.png>"
    b"<p>b.test, https://b.test.other/, https://c.test/x</p>"
)
EXCHANGES: tuple[dict[str, Any], ...] = (
    {
        "url": "https://a.test/",
        "kind": "document",
        "body": gzip.compress(PAGE, mtime=0),
        "headers": [
            ("Content-Encoding", "gzip"),
            ("Link", "<https://b.test/s.css>; rel=preload"),
            ("Content-Security-Policy", "script-src 'sha256-AAAA='"),
        ],
    },
    {"url": "https://b.test/s.css", "kind": "style", "initiator": 1, "body": b"a{}", "priority": "VeryHigh"},
    {
        "url": "https://b.test/j.json",
        "kind": "fetch",
        "how": "preflight",
        "method": "OPTIONS",
        "initiator": 1,
    },
    {"url": "https://b.test/j.json", "kind": "fetch", "initiator": 3, "body": b'"https://b.test/more"'},
    {"url": "https://b.test/i.png", "kind": "image", "initiator": 2, "body": b"//b.test/", "priority": "Low"},
    {"url": "https://c.test/", "kind": "document", "initiator": 1, "body": b"another page"},
    {"url": "https://c.test/x", "kind": "other", "initiator": 6},
)
HOSTS = {"a.test": OWN, "b.test": OTHER, "c.test": Host(first_party=False, protocols=("h2", "h3"))}


@pytest.fixture
def found(tmp_path: Path) -> Archive:
    return archive(tmp_path / "archive", *EXCHANGES, hosts=HOSTS)


def built(found: Archive, rewritings: str) -> BuiltSite:
    root = found.folder.parent / "root"
    root.mkdir()
    return sites.build(f"archive:{found.folder}{rewritings}", 1, root)


def steps(site: BuiltSite) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads((site.root / "requests.json").read_text())
    return told


def test_all_moves_to_the_pages_host_but_what_it_answers_otherwise(found: Archive) -> None:
    moved = rewritten(found, ["one-host"])
    assert [one.url for one in moved.exchanges] == [
        "https://a.test/",
        "https://a.test/s.css",
        "https://a.test/j.json",
        "https://a.test/i.png",
        # Its root is another page than a.test's.
        "https://c.test/",
        "https://c.test/x",
    ]
    assert set(moved.site.hosts) == {"a.test", "c.test"}
    assert [one.id for one in moved.exchanges] == [1, 2, 3, 4, 5, 6]
    # The preflight's request is the page's now.
    assert [one.initiator for one in moved.exchanges] == [None, 1, 1, 2, 1, 5]


def test_names_are_replaced_in_texts_and_headers_and_nowhere_else(found: Archive) -> None:
    moved = rewritten(found, ["one-host"])
    page, style, data, image = moved.exchanges[:4]
    assert page.body is not None
    plain = codings.undone(moved.body(page.body), ["gzip"])
    assert plain == (
        b'<link rel=stylesheet href="https://a.test/s.css" integrity="">'
        b"<script>fetch('https:\\/\\/a.test\\/j.json')</script><img src=//a.test/i.png>"
        b"<p>b.test, https://b.test.other/, https://c.test/x</p>"
    )
    assert page.body_bytes == len(moved.body(page.body))
    assert page.header("link") == "<https://a.test/s.css>; rel=preload"
    assert page.header("content-security-policy") is None
    assert data.body is not None
    assert moved.body(data.body) == b'"https://a.test/more"'
    assert (style.body, image.body) == (found.exchanges[1].body, found.exchanges[4].body)


def test_a_moved_site_is_built_with_its_own_bytes(found: Archive) -> None:
    site = built(found, "+one-host+no-images")
    assert [(one["host"], one["target"]) for one in steps(site)] == [
        ("a.test", "/"),
        ("a.test", "/s.css"),
        ("a.test", "/j.json"),
        ("c.test", "/"),
        ("c.test", "/x"),
    ]
    assert site.replay is not None
    assert not site.replay.images
    assert site.notes["left_out"] == {"image": 1}


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
    told = steps(built(found, rewriting))
    assert [one["urgency"] for one in told] == urgencies
    assert {one["incremental"] for one in told} == {incremental}
