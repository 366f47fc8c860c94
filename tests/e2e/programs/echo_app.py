"""An ASGI application that answers with what it gets of a request, as JSON; `/` is a page whose scripts ask
for one another, and `/end` is its last request. A line for each request goes to the file ECHO_LOG, and all
that arrives over its connections to ECHO_RAW: Hypercorn, which reads the requests, hides trailers, and takes
none of an uncertain length."""

import json
import os
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import h11

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LAST = 10
PAGE = '<!doctype html><link rel=icon href=data:,><title>Echo</title><script src="/step-0.js"></script>'
NEXT = "s=document.createElement('script');s.src='/step-{}.js';document.head.append(s);"


_receive_data = h11.Connection.receive_data


def _recorded(connection: h11.Connection, data: bytes) -> None:
    """Puts what arrives into ECHO_RAW as well."""
    with Path(os.environ["ECHO_RAW"]).open("ab") as raw:
        raw.write(data)
    _receive_data(connection, data)


h11.Connection.receive_data = _recorded  # type: ignore[method-assign, assignment]


async def app(scope: Message, receive: Receive, send: Send) -> None:
    """Of each WebSocket the handshake is answered, and nothing more."""
    if scope["type"] not in ("http", "websocket"):
        return
    got = {
        "type": scope["type"],
        "method": scope.get("method"),
        "path": scope["path"],
        "version": scope["http_version"],
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
    }
    with Path(os.environ["ECHO_LOG"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(got) + "\n")
    if scope["path"] == "/end":
        os.kill(os.getpid(), signal.SIGKILL)
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": 1000})
        return
    while (await receive()).get("more_body"):
        pass
    kind, body = _answer(scope["path"], got)
    # An application's own idea of Alt-Svc has to give way.
    headers = [("content-type", kind), ("content-length", str(len(body))), ("alt-svc", 'h3=":8080"')]
    coded = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": 200, "headers": coded})
    await send({"type": "http.response.body", "body": body.encode()})


def _answer(path: str, got: Message) -> tuple[str, str]:
    if path == "/":
        return "text/html", PAGE
    if path.startswith("/step-"):
        step = int(path.removeprefix("/step-").removesuffix(".js"))
        return "text/javascript", f"var {NEXT.format(step + 1)}" if step < LAST else "/* the last */"
    return "application/json", json.dumps(got)
