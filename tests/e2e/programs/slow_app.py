"""An application that takes its time before it answers, for hypercorn."""

import asyncio

SLOW_S = 1.0
BODY = b"<!doctype html><link rel=icon href=data:,>".ljust(20_000)
FIELDS = [
    (b"content-type", b"text/html"),
    (b"content-length", b"%d" % len(BODY)),
    (b"alt-svc", b'h3=":443"; ma=86400'),
]


async def app(scope, receive, send):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Answers everything alike."""
    if scope["type"] == "http":
        await asyncio.sleep(SLOW_S)
        await send({"type": "http.response.start", "status": 200, "headers": FIELDS})
        await send({"type": "http.response.body", "body": BODY})
