"""A site of three hosts on this machine's loopback, with what pages do: for `pronghorn record`."""

import gzip
import http.server
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import brotli

from pronghorn.certificates import Certificates

COOKIE, TOKEN, PASSWORD, API_KEY = "t0ps3cretC00kie", "abcdef123456", "hunter2222", "K3yOf9Things"
SECRETS = (COOKIE, TOKEN, PASSWORD, API_KEY)
HOSTS = ("shop.example", "cdn.example", "frame.example")

PAGE = gzip.compress(
    (
        "<!doctype html><meta charset=utf-8><link rel=stylesheet href=/s.css>"
        "<img src=https://cdn.example/i.png><script src=/a.js></script>"
        f"<iframe src=https://frame.example/f.html></iframe><p>session={COOKIE}</p>"
        "<img src=/spoilt.png>"
        "<img loading=lazy style='margin-top:9000px' src=/lazy.png>"
    ).encode()
    + b"<p>text and more text" * 400,
    mtime=0,
)
STYLE = brotli.compress(b"body{background:url(/bg.png)}" * 90)
SCRIPT = (
    f"fetch('/api?token={TOKEN}',{{method:'POST',body:'password={PASSWORD}&x=1'}});fetch('/r');"
    f"fetch('https://cdn.example/x.json',{{headers:{{'X-Api-Key':'{API_KEY}'}}}});"
    "new Image().src='/none';new Image().src='/gone';"
    "new WebSocket('wss://shop.example/live').onerror=()=>0;new EventSource('/events');"
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(3000)
SPOILT = b"\x89PNG\r\n\x1a\n" + bytes(400_000)
"""No image, of which the browser doesn't read all."""

CORS = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Headers", "x-api-key")]
JSON = ("Content-Type", "application/json")
ANSWERS: dict[str, tuple[int, list[tuple[str, str]], bytes]] = {
    "shop.example/": (
        200,
        [
            ("Content-Type", "text/html"),
            ("Content-Encoding", "gzip"),
            ("Set-Cookie", f"sid={COOKIE}; Path=/"),
            ("Set-Cookie", "b=2"),
        ],
        PAGE,
    ),
    "shop.example/s.css": (200, [("Content-Type", "text/css"), ("Content-Encoding", "br")], STYLE),
    "shop.example/a.js": (200, [("Content-Type", "text/javascript")], SCRIPT.encode()),
    "shop.example/api": (200, [JSON], b'{"ok":true}'),
    "shop.example/r": (302, [("Location", f"/api2?session={TOKEN}")], b""),
    "shop.example/api2": (200, [JSON], b"{}"),
    "shop.example/none": (204, [], b""),
    "shop.example/gone": (404, [("Content-Type", "text/html")], b"gone"),
    "shop.example/events": (200, [("Content-Type", "text/event-stream")], b"data: 1\n\n"),
    "shop.example/spoilt.png": (200, [("Content-Type", "image/png")], SPOILT),
    "frame.example/f.html": (200, [("Content-Type", "text/html")], b"<script>fetch('/in')</script>"),
    "frame.example/in": (200, [("Content-Type", "text/plain")], b"in"),
    "cdn.example/x.json": (200, [JSON, *CORS], b'{"x":1}'),
}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def do_OPTIONS(self) -> None:
        self._answer(204, CORS, b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self) -> None:
        key = self.headers["Host"].partition(":")[0] + self.path.partition("?")[0]
        image = (200, [("Content-Type", "image/png")], PNG)
        status, headers, body = ANSWERS.get(key, image if key.endswith(".png") else (404, [], b""))
        self._answer(status, headers, body)

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


@contextmanager
def serving(identity: Certificates) -> Iterator[int]:
    """The site until the context ends; its port."""
    server = _Server(("127.0.0.1", 0), _Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(identity.chain, identity.key)
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
