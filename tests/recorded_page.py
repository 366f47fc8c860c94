"""A site archive for tests: a page of five hosts with what real pages do."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import brotli

from pronghorn.sites import png
from pronghorn.sites.archive import Exchange, Host, Site, Writer
from pronghorn.sites.stream import Stream

PAGE = "https://shop.example/"

HOSTS: Mapping[str, Host] = {
    "shop.example": Host(first_party=True, protocols=("h2",), group=1, rtt_s=0.02),
    "static.shop.example": Host(first_party=True, protocols=("h2",), group=1, rtt_s=0.02),
    "cdn.example": Host(first_party=False, protocols=("h2", "h3"), rtt_s=0.01),
    "tracker.example": Host(first_party=False, protocols=("h2",), rtt_s=0.03),
    "old.example": Host(first_party=False, protocols=("h1",), rtt_s=0.03),
}
"""Two of them share an address."""

SPOKEN = {
    "h1": dict.fromkeys(HOSTS, "h1"),
    "h2": {**dict.fromkeys(HOSTS, "h2"), "old.example": "h1"},
    "h3": {**dict.fromkeys(HOSTS, "h3"), "tracker.example": "h2", "old.example": "h1"},
}
"""The protocol of each host by an arm."""

_SCRIPT = """
const later = () => fetch("/poll", { cache: "no-store" }).then((answer) => answer.text());
fetch("/api/data?user=7&_=" + Date.now(), { cache: "no-store" })
  .then((answer) => answer.json())
  .then(later).then(later)
  .then(() => fetch("https://tracker.example/collect", {
    method: "POST", mode: "no-cors", body: "x".repeat(3000),
  }));
"""

_STYLE = (
    '@font-face { font-family: "Own"; src: url("/font.woff2") format("woff2"); }\n'
    "body { font-family: Own, sans-serif; }\n"
)

_DOCUMENT = """<!doctype html>
<title>Shop</title>
<link rel="stylesheet" href="https://static.shop.example/style.css">
<script src="https://cdn.example/app.js" crossorigin defer></script>
<p>Shoes</p>
<img src="https://cdn.example/hero.png?w=800&amp;h=600">
<img src="/missing.png">
<img src="https://old.example/moved.png">
<img src="https://tracker.example/pixel.gif?ts=1700000000000">
"""


def make(folder: Path, *, delay: str | None = None) -> list[Exchange]:
    """Writes the archive into the new `folder`, and gives its exchanges. `delay` is an extra round trip of
    the page's host."""
    hosts = {**HOSTS, "shop.example": HOSTS["shop.example"].model_copy(update={"delay": delay})}
    with Writer(folder) as writer:
        exchanges = _Exchanges(writer)
        exchanges.all()
        described = Site(recorded="2026-11-26T14:00:00Z", by="a test", page=PAGE, hosts=hosts)
        writer.finish(described, exchanges.made)
    return exchanges.made


def _picture(size: int) -> bytes:
    return png.image(Stream(1, "recorded"), "picture", size).content


class _Exchanges:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.made: list[Exchange] = []

    def all(self) -> None:
        """The page's load."""
        home = "https://shop.example/home"
        text = _DOCUMENT + "<!-- " + "lorem ipsum " * 2000 + "-->\n"
        font = bytes(range(256)) * 40
        self.add(PAGE, 302, b"", kind="document", location="/home")
        page = self.add(
            home, 200, gzip.compress(text.encode(), mtime=0), initiator=1, how="redirect", kind="document",
            start_s=0.05, wait_s=0.06, receive_s=0.02,
            content_type="text/html; charset=utf-8", content_encoding="gzip",
        )  # fmt: skip
        style = self.add(
            "https://static.shop.example/style.css", 200, brotli.compress(_STYLE.encode()),
            initiator=page, how="parser", kind="style", start_s=0.12, wait_s=0.03, receive_s=0.01,
            content_type="text/css", content_encoding="br",
        )  # fmt: skip
        script = self.add(
            "https://cdn.example/app.js", 200, gzip.compress(_SCRIPT.encode(), mtime=0),
            initiator=page, how="parser", kind="script", start_s=0.12, wait_s=0.03, receive_s=0.01,
            content_type="text/javascript", content_encoding="gzip", access_control_allow_origin="*",
        )  # fmt: skip
        of_page: dict[str, Any] = {"initiator": page, "how": "parser", "kind": "image", "start_s": 0.12}
        self.add(
            "https://cdn.example/hero.png?w=800&h=600",
            200,
            _picture(30_000),
            **of_page,
            content_type="image/png",
        )
        self.add("https://shop.example/missing.png", 404, b"not there", **of_page)
        moved = self.add(
            "https://old.example/moved.png", 301, b"", **of_page, location="https://cdn.example/new.png"
        )
        self.add(
            "https://tracker.example/pixel.gif?ts=1700000000000", 200, b"GIF89a", **of_page,
            content_type="image/gif",
        )  # fmt: skip
        self.add(
            "https://cdn.example/new.png", 200, _picture(5000), initiator=moved, how="redirect",
            kind="image", start_s=0.16, content_type="image/png",
        )  # fmt: skip
        self.add(
            "https://static.shop.example/font.woff2", 200, font, initiator=style, how="style", kind="font",
            start_s=0.17, content_type="font/woff2", access_control_allow_origin="*",
        )  # fmt: skip
        data = self.add(
            "https://shop.example/api/data?user=7&_=1700000000123", 200, b'{"shoes": 3}',
            initiator=script, how="script", kind="fetch", start_s=0.18, wait_s=0.05,
            content_type="application/json",
        )  # fmt: skip
        for number, body in enumerate((b"first", b"and second")):
            data = self.add(
                "https://shop.example/poll", 200, body, initiator=data, how="script", kind="fetch",
                start_s=0.26 + number / 20, wait_s=0.03, content_type="text/plain",
            )  # fmt: skip
        self.add(
            "https://tracker.example/collect", 200, b"GIF89a", initiator=data, how="script", kind="fetch",
            start_s=0.36, wait_s=0.03, method="POST", request=b"x" * 3000, content_type="image/gif",
        )  # fmt: skip

    def add(
        self, url: str, status: int, body: bytes, *, method: str = "GET", request: bytes = b"", **more: Any
    ) -> int:
        """One exchange; keys that are none of its own are headers of the response."""
        own = {name: value for name, value in more.items() if name in Exchange.model_fields}
        headers = [(name.replace("_", "-"), value) for name, value in more.items() if name not in own]
        exchange = Exchange(
            id=len(self.made) + 1,
            url=url,
            method=method,
            status=status,
            headers=(("date", "Thu, 26 Nov 2026 14:00:00 GMT"), ("alt-svc", "clear"), *headers),
            body=self._writer.body(body),
            body_bytes=len(body),
            request_body=self._writer.body(request),
            request_bytes=len(request),
            **own,
        )
        self.made.append(exchange)
        return exchange.id
