"""What sets off a request of a replay."""

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import brotli
import pytest

from pronghorn.sites import codings
from pronghorn.sites.replay import mentions, steps
from pronghorn.sites.replay.causes import Cause, Causes
from pronghorn.sites.replay.choice import choose

from .archives import archive

TEXT = (
    b'<!doctype html><link href="/style.css" rel=stylesheet><p>A</p>'
    b'<img src="https://b.test/i.png?a=1&amp;b=2"><script src=app.js></script>' + b"<p>B</p>" * 100
)
PAGE: dict[str, Any] = {
    "url": "https://a.test/", "kind": "document", "body": TEXT, "wait_s": 0.1, "receive_s": 0.2,
}  # fmt: skip


def cause(folder: Path, page: dict[str, Any], *others: dict[str, Any]) -> Cause:
    """That of the last of these exchanges."""
    found = archive(folder / "x", page, *others)
    chosen = choose(found)
    return Causes(found, chosen).of(chosen.exchanges[-1])


def asked(url: str, **more: Any) -> dict[str, Any]:
    return {"url": url, "initiator": 1, "how": "parser", "start_s": 0.15, **more}


@pytest.mark.parametrize("coding", ["", "gzip", "br", "zstd"])
@pytest.mark.parametrize(
    ("url", "tag"),
    [
        ("https://a.test/style.css", b"rel=stylesheet>"),
        ("https://b.test/i.png?a=1&b=2", b'b=2">'),
        ("https://a.test/app.js", b"<script src=app.js>"),
    ],
)
def test_what_a_document_names_is_set_off_by_the_end_of_its_tag(
    tmp_path: Path, coding: str, url: str, tag: bytes
) -> None:
    body = codings.applied(TEXT, codings.named(coding))
    page = {**PAGE, "body": body, "headers": (("Content-Encoding", coding),)}
    expected = TEXT.index(tag) + len(tag)
    assert cause(tmp_path, page, asked(url)) == Cause(1, "bytes", expected)


def test_a_redirect_and_a_link_header_set_off_at_once(tmp_path: Path) -> None:
    moved = {**PAGE, "status": 302, "body": b""}
    assert cause(tmp_path / "1", moved, asked("https://a.test/b", how="redirect")) == Cause(1, "head")
    linked = {**PAGE, "headers": (("Link", "</font.woff2>; rel=preload; as=font"),)}
    assert cause(tmp_path / "2", linked, asked("https://a.test/font.woff2")) == Cause(1, "head")


def test_a_link_header_means_a_url_as_a_whole(tmp_path: Path) -> None:
    linked = {**PAGE, "headers": (("Link", "<https://b.test/a.js>; rel=preload, <<<x, <style>; rel=next"),)}
    for place, (url, upon) in enumerate(
        (
            ("https://b.test/a.js", "head"),
            ("https://b.test/a.j", "bytes"),
            ("https://a.test/style", "head"),
            ("https://b.test/style", "bytes"),
        )
    ):
        assert cause(tmp_path / str(place), linked, asked(url)).upon == upon


def test_a_document_that_would_burst_is_not_read(tmp_path: Path) -> None:
    bomb = brotli.compress(bytes(64 * 2**20), quality=1)
    page = archive(tmp_path / "x", {**PAGE, "headers": (("Content-Encoding", "br"),)}).page
    tracemalloc.start()
    assert mentions.decoded(page, bomb) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 * 2**20


def test_names_that_are_nearly_there_cost_no_more_than_the_document(tmp_path: Path) -> None:
    page = {**PAGE, "body": b"=a" * 2**19}
    began_s = time.process_time()
    cause(tmp_path, page, asked("https://a.test/" + "=a" * 25_000))
    assert time.process_time() - began_s < 3


def test_what_isnt_named_comes_at_its_share_of_the_document(tmp_path: Path) -> None:
    found = cause(tmp_path, PAGE, asked("https://a.test/unnamed", how="script", start_s=0.2))
    assert found == Cause(1, "bytes", len(TEXT) // 2)


def test_the_share_counts_from_the_first_byte_however_long_the_request_was_blocked(tmp_path: Path) -> None:
    page = {**PAGE, "blocked_s": 1.0}
    unnamed = asked("https://a.test/unnamed", how="script", start_s=1.2)
    assert cause(tmp_path / "1", page, unnamed) == Cause(1, "bytes", len(TEXT) // 2)
    at_once = {**page, "receive_s": 0.0}
    before = asked("https://a.test/unnamed", how="script", start_s=0.5)
    assert cause(tmp_path / "2", at_once, before) == Cause(1, "end")


def test_a_name_sets_off_nothing_that_came_long_after_its_document(tmp_path: Path) -> None:
    scrolled_to = asked("https://b.test/i.png?a=1&b=2", start_s=0.9)
    assert cause(tmp_path, PAGE, scrolled_to) == Cause(1, "end", compute_s=0.6)


def test_a_scripts_request_waits_for_the_script_and_what_was_computed(tmp_path: Path) -> None:
    script = asked("https://a.test/app.js", kind="script", wait_s=0.1, receive_s=0.05)
    beside = asked("https://b.test/i.png?a=1&b=2", start_s=0.16, wait_s=0.2, receive_s=0.04)
    data = asked("https://a.test/data", initiator=2, how="script", start_s=0.5)
    assert cause(tmp_path / "1", PAGE, script, data) == Cause(2, "end", compute_s=0.2)
    # The picture ended in between: the network until then is no computing.
    assert cause(tmp_path / "2", PAGE, script, beside, data) == Cause(2, "end", compute_s=0.1)


def test_an_unknown_initiator_is_the_page(tmp_path: Path) -> None:
    unknown = {"url": "https://b.test/x", "start_s": 0.35}
    assert cause(tmp_path, PAGE, unknown) == Cause(1, "end", compute_s=0.05)


def test_what_comes_after_a_silence_is_not_of_the_load(tmp_path: Path) -> None:
    found = archive(
        tmp_path / "x",
        PAGE,
        asked("https://a.test/style.css", kind="style"),
        {"url": "https://a.test/poll", "start_s": 5.0},
        {"url": "https://a.test/poll", "start_s": 5.1, "initiator": 3},
    )
    assert steps.write(found, choose(found), tmp_path) == 2
    told = json.loads((tmp_path / steps.FILE).read_text(encoding="utf-8"))
    assert [one["target"] for one in told] == ["/", "/style.css"]
    assert [one["initiator"] for one in told] == [None, 0]


def test_the_load_event_ends_the_load_where_its_time_is_known(tmp_path: Path) -> None:
    found = archive(
        tmp_path / "x",
        PAGE,
        {"url": "https://a.test/after-a-silence", "start_s": 1.9},
        {"url": "https://a.test/scrolled-to", "start_s": 2.1},
        load_s=2.0,
    )
    assert steps.write(found, choose(found), tmp_path) == 1
    told = json.loads((tmp_path / steps.FILE).read_text(encoding="utf-8"))
    assert [one["target"] for one in told] == ["/", "/after-a-silence"]
