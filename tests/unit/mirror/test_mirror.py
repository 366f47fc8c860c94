"""`pronghorn mirror` makes a site of a page."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest

from pronghorn import sites
from pronghorn.mirror import place

from ..laboratory import Laboratory

PAGES: dict[str, tuple[int, str, str]] = {
    "/": (
        200,
        "text/html",
        '<title>Shop</title><link rel=stylesheet href="/s.css?v=1"><img src="a.png"><img src="/gone.png">'
        '<img src="https://cdn.example/x.png"><img src="/../../etc/passwd"><img src="a.png#again">'
        '<img src="data:image/png;base64,AA"><img src="/%2e%2e/up.png">',
    ),
    "/s.css?v=1": (200, "text/css", 'body { background: url("img/b.png") }'),
    "/a.png": (200, "image/png", "a"),
    "/img/b.png": (200, "image/png", "bb"),
    "/deep/page": (200, "text/html; charset=utf-8", '<head></head><img src="c.png">'),
    "/deep/c.png": (200, "image/png", "c"),
    "/text": (200, "text/plain", "no page"),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A web server of this machine's, with these pages; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, text = PAGES.get(self.path, (404, "text/plain", "none"))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    made.server_close()
    thread.join()


def test_a_page_becomes_a_site(laboratory: Laboratory, server: str) -> None:
    result = laboratory.run("mirror", f"{server}/", "--out", "shop", "--quiet")
    assert result.status == 0
    root = laboratory.folder / "shop"
    files = {str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()}
    assert files == {"index.html", "s.css?v=1", "a.png", "img/b.png"}
    assert result.stdout.splitlines() == [
        result.stdout.splitlines()[0],
        "Measure it: pronghorn run --set sites=dir:shop",
    ]
    assert "shop: 4 files, " in result.stdout and "; 1 of other hosts left out" in result.stdout
    assert f"left out: {server}/gone.png: status 404" in result.stderr
    assert not (laboratory.folder / "up.png").exists()
    (laboratory.folder / "built").mkdir()
    built = sites.build(f"dir:{root}", 0, laboratory.folder / "built")
    assert built.document == "/"


def test_a_page_below_the_root_keeps_its_references(laboratory: Laboratory, server: str) -> None:
    assert laboratory.run("mirror", f"{server}/deep/page", "--out", "deep").status == 0
    text = (laboratory.folder / "deep/index.html").read_text(encoding="utf-8")
    assert text == '<head><base href="/deep/"></head><img src="c.png">'
    assert (laboratory.folder / "deep/deep/c.png").read_text(encoding="utf-8") == "c"


def test_what_is_there_stays(laboratory: Laboratory, server: str) -> None:
    (laboratory.folder / "shop").mkdir()
    laboratory.write("shop/mine", "")
    result = laboratory.run("mirror", f"{server}/", "--out", "shop")
    assert result.status == 2
    assert "shop: already exists and was not changed." in result.stderr


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/none", 4, "the page can't be fetched: status 404."),
        ("/text", 2, "this is text/plain, not a page."),
    ],
)
def test_what_is_no_page_is_refused(
    laboratory: Laboratory, server: str, path: str, status: int, said: str
) -> None:
    result = laboratory.run("mirror", server + path, "--out", "shop", "-q")
    assert result.status == status
    assert said in result.stderr
    assert not (laboratory.folder / "shop").exists()


@pytest.mark.parametrize("address", ["shop.example", "ftp://shop.example/", "https://", "file:///etc/passwd"])
def test_what_is_no_address_is_refused(laboratory: Laboratory, address: str) -> None:
    result = laboratory.run("mirror", address)
    assert result.status == 2
    assert "this is not the address of a page." in result.stderr


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("https://x/", "index.html"),
        ("https://x/a/", "a/index.html"),
        ("https://x/a%20b.css?v=1/2", "a b.css?v=1%2F2"),
        ("https://x/../up", None),
        ("https://x/a%2F..%2Fb", None),
        ("https://x/a//b", None),
        ("https://x/%00", None),
        (f"https://x/{'a' * 256}", None),
    ],
)
def test_an_address_has_a_file_below_the_folder_or_none(address: str, file: str | None) -> None:
    assert place.of(urlsplit(address)) == (file and PurePosixPath(file))
