"""WARC files: the page and what it names, bodies as they were sent; broken and hostile ones are one error."""

import gzip
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pronghorn.errors import InputError
from pronghorn.importing import bring, warc
from pronghorn.sites.archive import Archive, limits, read

from ..runs.mutations import mutated
from .archives import decoded

PAGE = gzip.compress(b"<script src=/a.js></script><img src=https://cdn.example/i.png><a href=/next>", mtime=0)
CASES = 60


class File:
    """A WARC file in the making."""

    def __init__(self, *, compressed: bool = True) -> None:
        self._stream = BytesIO()
        self._writer = WARCWriter(self._stream, gzip=compressed)

    def response(
        self,
        url: str,
        body: bytes,
        *headers: tuple[str, str],
        status: str = "200 OK",
        sent: tuple[tuple[str, str], ...] = (),
    ) -> "File":
        """One more response, with its request."""
        http = StatusAndHeaders(status, [*headers], protocol="HTTP/1.1")
        asked = StatusAndHeaders("GET / HTTP/1.1", [*sent], is_http_request=True)
        record = self._writer.create_warc_record(url, "response", payload=BytesIO(body), http_headers=http)
        self._writer.write_record(record)
        self._writer.write_record(self._writer.create_warc_record(url, "request", http_headers=asked))
        return self

    @property
    def content(self) -> bytes:
        """The file's bytes."""
        return self._stream.getvalue()


def whole(*, compressed: bool = True) -> bytes:
    """A page with a redirect before it, a script, what this fetches, an image of another host; and a page
    that is only linked."""
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    html = ("Content-Type", "text/html")
    return (
        File(compressed=compressed)
        .response(
            "http://shop.example/", b"", ("Location", "https://shop.example/"), status="301 Moved Permanently"
        )
        .response("https://cdn.example/i.png", b"PNG" * 9, ("Content-Type", "image/png"))
        .response(
            "https://shop.example/",
            chunked,
            html,
            ("Content-Encoding", "gzip"),
            ("Transfer-Encoding", "chunked"),
            ("Set-Cookie", "sid=s3cr3ts3cr3t"),
        )
        .response("https://shop.example/a.js", b"fetch('/d')", ("Content-Type", "text/javascript"))
        .response("https://shop.example/d", b"{}", sent=(("Referer", "https://shop.example/"),))
        .response("https://shop.example/next", b"next", html, sent=(("Referer", "https://shop.example/"),))
        .content
    )


def imported(folder: Path, content: bytes, page: str | None = None) -> Archive:
    file = folder / "site.warc.gz"
    file.write_bytes(content)
    bring(file, folder / "archive", page=page)
    return read(folder / "archive")


@pytest.mark.parametrize("compressed", [True, False])
def test_a_page_is_taken_with_what_it_names(tmp_path: Path, compressed: bool) -> None:
    archive = imported(tmp_path, whole(compressed=compressed))
    told = [(one.url, one.kind, one.initiator, one.how) for one in archive.exchanges]
    assert told == [
        ("http://shop.example/", "document", None, "other"),
        ("https://shop.example/", "document", 1, "redirect"),
        ("https://shop.example/a.js", "script", 2, "parser"),
        ("https://cdn.example/i.png", "image", 2, "parser"),
        ("https://shop.example/d", "other", 2, "script"),
    ]
    assert archive.site.left_out == {"not named by the page": 1}
    assert archive.site.hosts["shop.example"].protocols == ("h1",)


def test_bodies_are_as_sent_without_the_chunks(tmp_path: Path) -> None:
    archive = imported(tmp_path, whole())
    page = archive.exchanges[1]
    assert page.body is not None
    assert archive.body(page.body) == PAGE
    assert not page.recoded
    assert decoded(archive, 2).startswith(b"<script")
    assert page.header("transfer-encoding") is None
    assert "s3cr3t" not in str(page.headers)


def test_another_page_is_taken_by_its_url(tmp_path: Path) -> None:
    archive = imported(tmp_path, whole(), page="https://shop.example/next")
    assert [one.url for one in archive.exchanges] == ["https://shop.example/next"]


def test_a_bomb_of_gzip_ends_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "_MOST_LINE", 2**20)
    with pytest.raises(InputError, match="without a line's end"):
        imported(tmp_path, gzip.compress(b"WARC/1.0 " + bytes(2**23)))
    monkeypatch.setattr(warc, "MOST_BYTES", 2**20)
    with pytest.raises(InputError, match="4 GiB"):
        imported(tmp_path, gzip.compress(b"WARC/1.0\r\n" + b"a: b\r\n" * 2**20))


def test_a_record_larger_than_a_body_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BODY", 2**16)
    with pytest.raises(InputError, match="the most for a body"):
        imported(tmp_path, File().response("https://shop.example/", b"\n" * 2**17).content)
    assert [one.name for one in tmp_path.iterdir()] == ["site.warc.gz"]


@pytest.mark.parametrize(
    "content",
    [
        b"WARC/1.0\r\n",
        b"\x1f\x8bnot gzip",
        gzip.compress(b"not a warc", mtime=0),
        b"WARC/1.0\r\nWARC-Type: x\r\n\r\n",
    ],
)
def test_what_is_no_warc_is_one_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError) as error:
        imported(tmp_path, content)
    assert "\n" not in error.value.message
    assert str(tmp_path) in error.value.message


def test_mutated_files_are_read_or_refused_in_one_sentence(tmp_path: Path) -> None:
    plain = whole(compressed=False)
    good = 0
    for case in range(CASES):
        random = Random(case)
        folder = tmp_path / str(case)
        folder.mkdir()
        content = mutated(plain, random)
        try:
            archive = imported(folder, content if case % 2 else gzip.compress(content, 1, mtime=0))
        except InputError as error:
            assert "\n" not in error.message
            assert len(error.message) < 700
            assert [one.name for one in folder.iterdir()] == ["site.warc.gz"]
        else:
            good += 1
            assert archive.exchanges
    assert 0 < good < CASES
