"""Site archives: what was written is read again; what came to harm, or means it, is one clear error."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pronghorn.errors import InputError
from pronghorn.sites.archive import Archive, Exchange, Host, Site, Writer, layout, limits, read

from ..runs.mutations import mutated, mutated_lines

BODY = b"<p>shop" * 40
PAGE = "https://shop.example/"
CASES = 150


def write(folder: Path) -> Path:
    """An archive of two requests."""
    with Writer(folder) as writer:
        digest = writer.body(BODY)
        site = Site(
            recorded="2026-03-04T10:11:12Z",
            by="a test",
            page=PAGE,
            hosts={"shop.example": Host(first_party=True, protocols=("h1", "h2"), delay="5ms")},
            left_out={"WebSocket": 2},
        )
        page = Exchange(id=1, url=PAGE, status=200, body=digest, body_bytes=len(BODY), kind="document")
        beacon = Exchange(id=2, url=f"{PAGE}b?x=1", status=204, method="POST", initiator=1, how="script")
        writer.finish(site, [page, beacon])
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "archive")


def test_what_was_written_is_read_again(folder: Path) -> None:
    archive = read(folder)
    assert archive.site.hosts["shop.example"].delay_ns == 5_000_000
    assert archive.site.left_out == {"WebSocket": 2}
    assert archive.page.body is not None
    assert archive.body(archive.page.body) == BODY
    assert archive.total_bytes == len(BODY)
    assert archive.exchanges[1].target.path == "/b?x=1"
    assert sorted(one.name for one in folder.iterdir()) == ["bodies", "requests.jsonl", "site.toml"]


def test_an_archive_that_is_not_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Writer(tmp_path / "archive") as writer:
        writer.body(BODY)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("format = 1", "format = 2", "line 1: key 'format': 2 is no format"),
        ("by =", "bye =", "did you mean 'by'"),
        ("first_party = true", "first_party = 7", "first_party"),
        ("first_party = true", "", "first_party is missing"),
        ('delay = "5ms"', "delay = 5", "delay"),
        ('delay = "5ms"', 'delay = "5"', "delay"),
        ('delay = "5ms"', 'dely = "5ms"', "did you mean 'delay'"),
        ('"h1", "h2"', '"h1", "h9"', "protocols"),
        ("hosts.", "host.", "did you mean 'hosts'"),
        ('hosts."shop.example"', 'hosts."other.example"', "line 1: its host has no table"),
        (f'page = "{PAGE}"', 'page = "https://shop.example/x"', "no request"),
        (f'page = "{PAGE}"', 'page = "ftp://x/"', "page"),
        ("10:11:12Z", "10:11:12", "UTC"),
        ("format = 1", "format = ", "TOML syntax"),
        ("format = 1", "format = " + "[" * 3000, "too deep"),
    ],
)
def test_a_wrong_key_of_the_site_is_named(folder: Path, before: str, after: str, says: str) -> None:
    text = (folder / layout.SITE).read_text()
    assert before in text
    (folder / layout.SITE).write_text(text.replace(before, after))
    with pytest.raises(InputError) as error:
        read(folder)
    assert says in error.value.message
    assert str(folder) in error.value.message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("body", "../../../etc/passwd"),
        ("body", "/etc/passwd"),
        ("body", "a" * 64),
        ("body", None),
        ("body", 7),
        ("body_bytes", 10**12),
        ("body_bytes", 3),
        ("body_bytes", -1),
        ("id", 2),
        ("initiator", 1),
        ("initiator", 99),
        ("document", 2),
        ("url", "https://shop.example/a b"),
        ("url", "https://user:pass@shop.example/"),
        ("url", "https://shop.example/#x"),
        ("url", "https://shop.example/" + "a" * limits.MOST_URL),
        ("url", "file:///etc/passwd"),
        ("url", "https://../x"),
        ("method", "GET /x HTTP/1.1"),
        ("status", "200"),
        ("status", 101),
        ("headers", [["a: b\r\nc", "d"]]),
        ("headers", [["a", "b\r\nc: d"]]),
        ("headers", [["a", "b\0"]]),
        ("headers", [["a", "b\x01"]]),
        ("headers", [["a", "b\x7f"]]),
        ("headers", [["a", "b"]] * (limits.MOST_HEADERS + 1)),
        ("headers", [["a"]]),
        ("headers", {"a": "b"}),
        ("start_s", float("inf")),
        ("start_s", -1),
        ("made", "yes"),
        ("kind", "page"),
        ("extra", 1),
    ],
)
def test_a_wrong_value_of_a_request_is_named_with_its_line(folder: Path, key: str, value: Any) -> None:
    file = folder / layout.REQUESTS
    first, second = file.read_text().splitlines()
    file.write_text(json.dumps(json.loads(first) | {key: value}) + "\n" + second + "\n")
    with pytest.raises(InputError) as error:
        read(folder)
    assert "line 1" in error.value.message or str(folder / "bodies") in error.value.message
    assert len(error.value.message) < 500


def test_lines_out_of_the_order_of_their_start_are_named(folder: Path) -> None:
    file = folder / layout.REQUESTS
    first, second = file.read_text().splitlines()
    file.write_text(json.dumps(json.loads(first) | {"start_s": 0.2}) + "\n" + second + "\n")
    with pytest.raises(InputError, match=r"line 2: start_s is 0\.0, less than 0\.2 of the line before"):
        read(folder)


def _link(file: Path) -> None:
    outside = file.parents[3] / "outside"
    outside.write_bytes(BODY)
    file.unlink()
    file.symlink_to(outside)


def _fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _device(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def _sparse(file: Path) -> None:
    os.truncate(file, 2**40)


@pytest.mark.parametrize("spoil", [_link, _fifo, _device, _sparse, Path.unlink, _link])
def test_a_body_that_is_no_file_of_the_archive_is_refused(
    folder: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(layout.body(folder, hashlib.sha256(BODY).hexdigest()))
    with pytest.raises(InputError):
        read(folder)


def test_a_body_with_other_bytes_is_refused_when_it_is_read(folder: Path) -> None:
    digest = hashlib.sha256(BODY).hexdigest()
    layout.body(folder, digest).write_bytes(BODY[::-1])
    archive = read(folder)
    with pytest.raises(InputError, match="another SHA-256"):
        archive.body(digest)


def test_a_line_without_an_end_is_read_no_further_than_its_bound(folder: Path) -> None:
    os.truncate(folder / layout.REQUESTS, 2**36)
    with pytest.raises(InputError, match="line 3: longer than"):
        read(folder)


def test_mutated_archives_are_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    whole = write(tmp_path / "archive")
    texts = {name: (whole / name).read_bytes() for name in (layout.SITE, layout.REQUESTS)}
    good = 0
    for case in range(CASES):
        random = Random(case)
        name = random.choice(list(texts))
        mutate = mutated if name == layout.SITE else mutated_lines
        (whole / name).write_bytes(mutate(texts[name], random))
        try:
            archive: Archive = read(whole)
        except InputError as error:
            assert "\n" not in error.message
            assert len(error.message) < 700
        else:
            good += 1
            assert archive.page.url == archive.site.page
            assert read(write_again(archive, tmp_path / f"again-{case}")).exchanges == archive.exchanges
        (whole / name).write_bytes(texts[name])
    assert 0 < good < CASES


def write_again(archive: Archive, folder: Path) -> Path:
    """The same archive, written anew."""
    with Writer(folder) as writer:
        for one in archive.exchanges:
            for digest in (one.body, one.request_body):
                if digest is not None:
                    writer.body(archive.body(digest))
        writer.finish(archive.site, archive.exchanges)
    return folder
