"""An ASGI application that answers in parts, HALT_S seconds apart: an interim response, head, body."""

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]

HALT_S = float(os.environ["HALT_S"])
BODY = b"<!doctype html><link rel=icon href=data:,><title>Hinting</title>"


async def app(
    scope: Message, _: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """One answer for every path."""
    if scope["type"] != "http":
        return
    await send({"type": "http.response.early_hint", "links": [b"</>; rel=preconnect"]})
    await asyncio.sleep(HALT_S)
    headers = [(b"content-type", b"text/html"), (b"content-length", str(len(BODY)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await asyncio.sleep(HALT_S)
    await send({"type": "http.response.body", "body": BODY})
