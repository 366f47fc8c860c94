"""HAR files that mean harm or have come to it: one clear error or a stated repair, and nothing written beside
the archive."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pronghorn.archiving import texts
from pronghorn.errors import InputError
from pronghorn.importing.har import content, file
from pronghorn.sites.archive import limits

from .archives import PAGE, decoded, entry, har, imported


def refused(folder: Path, value: Any, **options: Any) -> str:
    """The message of an import that fails, after which nothing is left beside the HAR."""
    before = sorted(folder.iterdir())
    with pytest.raises(InputError) as error:
        imported(folder, value, **options)
    assert sorted(folder.iterdir()) == sorted({*before, folder / "site.har"})
    assert "\n" not in error.value.message
    assert len(error.value.message) < 400
    return error.value.message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "neither a HAR file"),
        (b"\x00" * 100, "neither a HAR file"),
        (b'{"log":', "no JSON"),
        (b'{"log": {"entries": 7}}', "no list log.entries"),
        (b'{"log": {"entries": []}}', "nothing was recorded"),
        (b'{"log": {"entries": [7, null, "x"]}}', "nothing in it can be archived"),
        (b'{"log": ' + b"[" * 300_000, "nested too deep"),
        (b'{"log": ' + b'{"a":' * 300_000, "nested too deep"),
        (b'{"log": {"entries": [' + b"1" * 5000 + b"]}}", "no JSON"),
    ],
)
def test_what_is_no_har_is_one_error(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in refused(tmp_path, content)


def test_a_har_beyond_its_bound_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "site.har").touch()
    os.truncate(tmp_path / "site.har", file.MOST_BYTES + 1)
    with (tmp_path / "site.har").open("r+b") as stream:
        stream.write(b"{")
    with pytest.raises(InputError, match="larger than 256 MiB"):
        file.log(tmp_path / "site.har")


@pytest.mark.parametrize(
    "name", ["../secret.txt", "/etc/passwd", "..", "", "a/b", "link", "x" * 5000, "\0", ["a"], {"a": 1}, 7]
)
def test_a_body_beside_the_file_is_none_of_another_place(tmp_path: Path, name: Any) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.txt").write_text("outside")
    (inner / "link").symlink_to(tmp_path / "secret.txt")
    archive = imported(inner, har(entry(text=None, content={"_file": name, "size": 7})))
    assert archive.page.made
    assert b"outside" not in decoded(archive, 1)


@pytest.mark.parametrize("name", ["passwords.csv", "id_rsa", "0" * 40, "0" * 40 + ".txt"])
def test_a_file_beside_a_har_is_a_body_only_by_its_sha_1(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a neighbour's")
    archive = imported(tmp_path, har(entry(text=None, content={"_file": name, "size": 13})))
    assert archive.page.made
    assert b"neighbour" not in decoded(archive, 1)
    assert archive.site.repaired == ({content.OTHER: 1} if name[0] == "0" else {})


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/../../../../etc/passwd",
        "https://shop.example//etc/passwd",
        "https://shop.example/%2e%2e/%00/a\0b",
        "https://shop.example/" + "a/" * 20_000,
        "https://shop.example/" + "é" * 5000,
        "https://shop.example/\ud800",
    ],
)
def test_paths_of_urls_never_become_paths_of_files(tmp_path: Path, url: str) -> None:
    archive = imported(tmp_path, har(entry(), entry(url)))
    written = [str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*") if one.is_file()]
    assert {one.split("/")[0] for one in written} == {"archive", "site.har"}
    assert all(len(one) < 120 for one in written)
    assert len(archive.exchanges) + sum(archive.site.left_out.values()) == 2


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https:///x",
        "https://a b/",
        "https://[::1/",
        "https://x:99999/",
        "https://x:0/",
        "https://" + "a" * 300 + "/",
        "https://shop.example/" + "a" * 2**17,
        "javascript:alert(1)",
        "file:///etc/passwd",
        "blob:https://shop.example/1",
        "chrome-extension://abc/x.js",
    ],
)
def test_urls_that_lead_to_no_server_are_left_out_and_counted(tmp_path: Path, url: str) -> None:
    archive = imported(tmp_path, har(entry(), entry(url)))
    assert [one.url for one in archive.exchanges] == [PAGE]
    assert sum(archive.site.left_out.values()) == 1


def test_sizes_that_no_page_has_are_one_error(tmp_path: Path) -> None:
    huge = entry(f"{PAGE}a", text=None, content={"size": 10**12})
    assert "10000" in refused(tmp_path, har(entry(), huge))
    many = [entry(f"{PAGE}{n}", text=None, content={"size": limits.MOST_BODY}) for n in range(3)]
    assert "512 MiB" in refused(tmp_path, har(entry(), *many))


def test_more_requests_than_a_page_has_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_EXCHANGES", 20)
    assert "more than 20 requests" in refused(tmp_path, har(*[entry(f"{PAGE}{n}") for n in range(30)]))


@pytest.mark.parametrize("text", ["%%%", "QUJD*", "QUI", "äöü=", "\0\0\0\0"])
def test_broken_base64_becomes_a_body_of_the_recorded_size(tmp_path: Path, text: str) -> None:
    image = entry(f"{PAGE}i.png", mime="image/png", text=text, content={"encoding": "base64", "size": 321})
    archive = imported(tmp_path, har(entry(), image))
    assert archive.exchanges[1].made
    assert archive.exchanges[1].body_bytes == 321
    assert archive.site.repaired == {content.BROKEN: 1}


def test_a_body_that_is_no_gzip_is_replaced_and_told(tmp_path: Path) -> None:
    raw = b"\x1f\x8b" + b"not gzip at all" * 9
    page = entry(
        text=base64.b64encode(raw).decode(),
        content={"encoding": "base64", "size": 5000},
        headers={"content-encoding": "gzip"},
    )
    archive = imported(tmp_path, har(page))
    assert archive.page.made
    assert sum(archive.site.repaired.values()) >= 1
    assert len(decoded(archive, 1)) > 0


def test_a_text_too_long_to_be_searched_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pronghorn.archiving.bodies.MOST_BYTES", 1000)
    assert texts.MOST_BYTES > 1000
    long = entry(f"{PAGE}a.js", mime="text/javascript", text="s3cr3t0f1000chars" * 100)
    archive = imported(tmp_path, har(entry(), long))
    assert archive.exchanges[1].made
    assert archive.exchanges[1].body_bytes == 1700


def test_a_url_that_comes_twice_stands_there_twice(tmp_path: Path) -> None:
    poll = entry(f"{PAGE}poll", startedDateTime="2026-03-04T10:11:13.000Z")
    other = entry(f"{PAGE}poll", text="other", startedDateTime="2026-03-04T10:11:14.000Z")
    archive = imported(tmp_path, har(entry(), poll, other))
    assert [decoded(archive, number) for number in (2, 3)] == [b"text", b"other"]


@pytest.mark.parametrize(
    ("mime", "text", "encoding"),
    [
        ("text/html; charset=windows-1252", "<p>Größe – €", "cp1252"),
        ("text/html; charset=Shift_JIS", "<p>日本語", "shift_jis"),
        ("text/html; charset=utf-16", "<p>Größe", "utf-16"),
        ("text/html", "<meta charset=iso-8859-1><p>Größe", "cp1252"),
        ("text/html", "<p>Größe \ud83d", "utf-8"),
        ("text/html; charset=x-unknown", "<p>Größe", "utf-8"),
    ],
)
def test_texts_are_encoded_as_they_were(tmp_path: Path, mime: str, text: str, encoding: str) -> None:
    archive = imported(tmp_path, har(entry(text=text, mime=mime)))
    assert decoded(archive, 1) == text.encode(encoding, "replace")
    header = archive.page.header("content-type") or ""
    repaired = archive.site.repaired.get(content.CHARSET, 0)
    assert repaired == (mime.endswith("unknown") or "\ud83d" in text)
    if mime.endswith("unknown"):
        assert header == "text/html; charset=utf-8"


def test_headers_that_no_server_can_send_are_put_right_and_told(tmp_path: Path) -> None:
    headers = {
        "x-nul": "a\0b",
        "set-cookie": "a=1\nb=2",
        "bad name": "x",
        "": "x",
        "x-cr": "a\rContent-Length: 7",
        ":status": "200",
        "transfer-encoding": "chunked",
        "x-long": "y" * (limits.MOST_HEADER + 1),
    }
    archive = imported(tmp_path, har(entry(headers=headers)))
    names = [name for name, _ in archive.page.headers]
    assert names == ["content-type", "x-nul", "set-cookie", "set-cookie", "x-cr"]
    assert archive.site.repaired == {"header changed": 2, "header left out": 2}


def test_more_hosts_than_a_page_has_are_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_HOSTS", 20)
    many = [entry(f"https://h{number}.example/") for number in range(30)]
    assert "more than 20 hosts" in refused(tmp_path, har(entry(), *many))


def test_headers_of_megabytes_leave_lines_that_can_be_read(tmp_path: Path) -> None:
    heavy = {f"x-{number}": "y" * 200_000 for number in range(40)}
    archive = imported(tmp_path, har(entry(headers=heavy, sent=heavy)))
    assert archive.site.repaired == {"header left out": 76}


def test_methods_and_moments_that_are_none_are_told(tmp_path: Path) -> None:
    late = entry(f"{PAGE}late", startedDateTime="2199-01-01T00:00:00Z")
    strange = entry(f"{PAGE}x", method="GET /x HTTP/1.1\r\nHost: y")
    archive = imported(tmp_path, har(entry(), late, strange))
    assert archive.exchanges[1].start_s == 86_400
    assert archive.site.left_out == {"method that is none": 1}
    assert archive.site.repaired == {"request that starts days after the page": 1}


def test_a_har_in_utf_16_or_with_a_mark_is_read(tmp_path: Path) -> None:
    text = json.dumps(har(entry()))
    for number, form in enumerate((text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode())):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert imported(folder, form).page.url == PAGE


def test_an_archive_that_is_there_already_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "mine").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        imported(tmp_path, har(entry()))
    assert (tmp_path / "archive" / "mine").read_text() == "mine"


def test_a_har_without_a_page_says_how_to_name_one(tmp_path: Path) -> None:
    data = entry(f"{PAGE}data.json", mime="application/json")
    assert "no request is for a page" in refused(tmp_path, har(data))
    assert imported(tmp_path, har(data), page=f"{PAGE}data.json").page.id == 1


def test_times_that_are_none_count_as_nothing(tmp_path: Path) -> None:
    strange = {
        "blocked": -1,
        "dns": "x",
        "connect": None,
        "send": 1e300,
        "wait": [],
        "receive": -5,
        "ssl": True,
    }
    archive = imported(tmp_path, har(entry(timings=strange, startedDateTime="yesterday", time=-3)))
    assert (archive.page.start_s, archive.page.wait_s, archive.page.receive_s) == (0, 0, 0)
