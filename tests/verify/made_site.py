"""A site of six hosts and more than 150 resources with what real pages do, as an application of ASGI.

Redirects, 204, 304, ranges, chunked and compressed bodies, POSTs, data: and blob:, a service worker, a
WebSocket, an event stream, and a poll that never ends."""

import asyncio
import gzip
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import brotli
import zstandard
from hypercorn.asyncio import serve
from hypercorn.config import Config

from pronghorn.certificates import Certificates
from pronghorn.sites import png
from pronghorn.sites.prose import Prose
from pronghorn.sites.stream import Stream

PAGE = "https://shop.example/"
HOSTS = ("shop.example", "static.example", "img.example", "api.example", "frame.example", "tracker.example")

STREAM = Stream(1, "made site")
PICTURES, SCRIPTS, STYLES = 100, 20, 10
POLL_MS = 300

Pair = tuple[str, str]
CORS: tuple[Pair, ...] = (
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "x-kind, content-type, range, if-none-match"),
    ("access-control-allow-methods", "GET, POST, PUT"),
)
ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": brotli.compress,
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "zstd": zstandard.ZstdCompressor().compress,
}


class Answer(NamedTuple):
    """Status, headers and body as sent; a `chunked` one goes out in pieces, without its length."""

    status: int
    headers: tuple[Pair, ...] = ()
    body: bytes = b""
    chunked: bool = False


def _text(media: str, content: str, coding: str | None = None, *more: Pair, chunked: bool = False) -> Answer:
    body = ENCODERS[coding](content.encode()) if coding else content.encode()
    coded: tuple[Pair, ...] = (("content-encoding", coding),) if coding else ()
    return Answer(200, (("content-type", media), *coded, *more), body, chunked)


def _picture(name: str, size: int) -> Answer:
    return Answer(200, (("content-type", "image/png"),), png.image(STREAM, name, size).content)


def _prose(label: str, count: int) -> str:
    return Prose(STREAM, label).take(count).decode()


_CODE = """
const get = (path, more) =>
  fetch(path, { cache: "no-store", ...more }).then((answer) => answer.arrayBuffer());
const api = "https://api.example";
get("/none");
get("/gone");
get("/tagged", { headers: { "If-None-Match": '"v1"' } });
get("/twice").then(() => get("/twice", { headers: { "If-None-Match": '"v1"' } }));
get("/part", { headers: { Range: "bytes=1000-1999" } });
get("/moved");
get("/head", { method: "HEAD" });
get(api + "/data?v=" + Date.now() + "&kind=all", { headers: { "X-Kind": "list" } });
get(api + "/order", { method: "POST", body: JSON.stringify({ item: 7 }),
  headers: { "Content-Type": "application/json" } });
get(api + "/form", { method: "POST", body: new URLSearchParams({ name: "a", size: "42" }) });
get(api + "/put", { method: "PUT", body: "x".repeat(20000) });
get(api + "/kept", { method: "POST", body: "y".repeat(100) });
navigator.sendBeacon("https://tracker.example/beacon", "seen");
const blob = new Blob(["blob"], { type: "text/plain" });
fetch(URL.createObjectURL(blob)).then((answer) => answer.text());
fetch("data:text/plain,data").then((answer) => answer.text());
const pixel = "https://tracker.example/pixel.png?ts=" + Date.now();
for (const source of ["/moving.png", pixel]) new Image().src = source;
navigator.serviceWorker?.register("/worker.js").catch(() => 0);
new WebSocket("wss://shop.example/live").onerror = () => 0;
new EventSource("/events").onerror = () => 0;
setInterval(() => get("/poll"), POLL_MS);
""".replace("POLL_MS", str(POLL_MS))


def _document() -> str:
    styles = "".join(f'<link rel="stylesheet" href="https://static.example/s{n}.css">' for n in range(STYLES))
    scripts = "".join(f'<script src="https://static.example/j{n}.js" defer></script>' for n in range(SCRIPTS))
    pictures = "".join(
        f'<img src="https://img.example/{n}.png" width="40" height="40">' for n in range(PICTURES)
    )
    return (
        '<!doctype html><meta charset="utf-8"><title>Made</title><link rel="icon" href="data:,">'
        f'{styles}{scripts}<script src="/code.js" defer></script>'
        '<script type="module" src="/module.js"></script>'
        f"{pictures}"
        '<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">'
        '<iframe src="https://frame.example/"></iframe>'
        f"<p>{_prose('page', 30_000)}</p>"
    )


def _answers() -> dict[str, Answer]:
    javascript, plain = "text/javascript", "text/plain"
    found = {
        "shop.example/": _text("text/html; charset=utf-8", _document(), "br", chunked=True),
        "shop.example/code.js": _text(javascript, _CODE + f"/*{_prose('code', 9000)}*/", "gzip"),
        "shop.example/module.js": _text(javascript, 'import "./part.js";'),
        "shop.example/part.js": _text(javascript, f"/*{_prose('part', 5000)}*/", "zstd"),
        "shop.example/none": Answer(204),
        "shop.example/gone": Answer(404, (("content-type", plain),), b"gone"),
        "shop.example/twice": _text(plain, "twice" * 50, None, ("etag", '"v1"')),
        "shop.example/tagged": _text(plain, "tagged" * 50, None, ("etag", '"v1"')),
        "shop.example/part": _text(plain, _prose("ranges", 9000)),
        "shop.example/moved": Answer(302, (("location", "/moved2"),)),
        "shop.example/moved2": Answer(307, (("location", "https://api.example/landed"), *CORS)),
        "shop.example/moving.png": Answer(301, (("location", "https://img.example/landed.png"),)),
        "shop.example/head": _text(plain, "h" * 500),
        "shop.example/worker.js": _text(javascript, "addEventListener('fetch',()=>0)"),
        "shop.example/poll": _text("application/json", '{"new":[]}'),
        "api.example/landed": _text(plain, "landed", None, *CORS),
        "api.example/data": _text(
            "application/json", json.dumps(_prose("data", 8000)), "br", *CORS, chunked=True
        ),
        "api.example/order": Answer(201, (("content-type", "application/json"), *CORS), b'{"order":1}'),
        "api.example/form": Answer(303, (("location", "/done"), *CORS)),
        "api.example/done": _text(plain, "done", None, *CORS),
        "api.example/put": Answer(200, (("content-type", plain), *CORS), b"put"),
        "api.example/kept": Answer(200, (("content-type", plain), *CORS), b"kept"),
        "frame.example/": _text(
            "text/html", '<link rel="stylesheet" href="/f.css"><script src="/f.js"></script>'
        ),
        "frame.example/f.css": _text("text/css", "body{background:url(/f.png)}"),
        "frame.example/f.js": _text(javascript, "fetch('/in.json').then(r=>r.json())"),
        "frame.example/f.png": _picture("frame", 4000),
        "frame.example/in.json": _text("application/json", "[1,2]"),
        "tracker.example/beacon": Answer(204),
        "tracker.example/pixel.png": Answer(302, (("location", "/pixel2.png"),)),
        "tracker.example/pixel2.png": _picture("pixel", 400),
        "img.example/landed.png": _picture("landed", 3000),
    }
    codings = (None, "gzip", "br", "zstd")
    for number in range(PICTURES):
        found[f"img.example/{number}.png"] = _picture(f"picture {number}", 600 + 97 * number)
    for number in range(SCRIPTS):
        text = f"/*{_prose(f'script {number}', 1500 + 700 * number)}*/"
        found[f"static.example/j{number}.js"] = _text(
            javascript, text, codings[number % 4], chunked=number % 3 == 0
        )
    for number in range(STYLES):
        shown = f"p{{background:url(/b{number}.png)}}" if number == STYLES - 1 else ""
        text = f"{shown}/*{_prose(f'style {number}', 3000)}*/"
        found[f"static.example/s{number}.css"] = _text("text/css", text, codings[number % 4])
    found[f"static.example/b{STYLES - 1}.png"] = _picture("background", 5000)
    return found


ANSWERS = _answers()

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The site, as ASGI calls it."""
    if scope["type"] == "lifespan":
        while (event := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{event['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            continue
        return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    while (await receive()).get("more_body"):
        continue
    if scope["path"] == "/events":
        await _stream(send)
        return
    host = headers.get("host", "").partition(":")[0]
    answer = ANSWERS.get(host + scope["path"], Answer(404, (("content-type", "text/plain"),), b"unknown"))
    await _send(_conditional(scope["method"], headers, answer), scope["method"], send)


def _conditional(method: str, headers: Mapping[str, str], answer: Answer) -> Answer:
    """The answer as a request's method and conditions have it."""
    if method == "OPTIONS":
        return Answer(204, CORS)
    tag = dict(answer.headers).get("etag")
    if tag is not None and headers.get("if-none-match") == tag:
        return Answer(304, (("etag", tag),))
    if (wanted := headers.get("range")) and answer.status == 200:
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        part = answer.body[int(first) : int(last) + 1]
        told = f"bytes {first}-{last}/{len(answer.body)}"
        return Answer(206, (*answer.headers, ("content-range", told)), part)
    return answer


async def _send(answer: Answer, method: str, send: Send) -> None:
    headers = [(name.encode(), value.encode()) for name, value in answer.headers]
    if not answer.chunked and answer.status not in (204, 304):
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if method == "HEAD" else answer.body
    half = len(body) // 2
    if answer.chunked:
        await send({"type": "http.response.body", "body": body[:half], "more_body": True})
        body = body[half:]
    await send({"type": "http.response.body", "body": body})


async def _stream(send: Send) -> None:
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for _ in range(200):
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        await asyncio.sleep(0.2)
    await send({"type": "http.response.body", "body": b""})


@contextmanager
def serving(identity: Certificates, protocols: tuple[str, ...] = ("h2", "http/1.1")) -> Iterator[int]:
    """The site on this machine's loopback until the context ends; its port. `protocols` are ALPN's."""
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.certfile, config.keyfile = str(identity.chain), str(identity.key)
    config.alpn_protocols = list(protocols)
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0.1
    [socket] = config.create_sockets().secure_sockets
    port = int(socket.getsockname()[1])
    config.bind = [f"fd://{socket.fileno()}"]
    ended = threading.Event()

    async def until_ended() -> None:
        while not ended.is_set():
            await asyncio.sleep(0.05)

    async def serve_site() -> None:
        # Connections that are open at the end are cut.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        await serve(cast("Any", application), config, shutdown_trigger=until_ended)

    thread = threading.Thread(target=lambda: asyncio.run(serve_site()), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        ended.set()
        thread.join()
