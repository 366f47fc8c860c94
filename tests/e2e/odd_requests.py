"""Requests that curl can't make, sent to a server of deploy/ as they are written."""

import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.certificates import HOST_NAME

from .benches import PROGRAMS
from .deployment import HOSTS, Deployment

Fields = Sequence[tuple[str, str]]


class Odd(NamedTuple):
    """A request over HTTP/2 or HTTP/3: its fields, pseudo-headers among them; its body, and its trailers."""

    fields: Fields
    body: str = ""
    trailers: Fields = ()


def fields(*more: tuple[str, str], without: str = "", **pseudo: str) -> list[tuple[str, str]]:
    """A POST's header fields; pseudo-headers are named without their colon."""
    usual = {"method": "POST", "scheme": "https", "authority": HOST_NAME, "path": "/outer", **pseudo}
    return [*((f":{key}", value) for key, value in usual.items() if key != without), *more]


async def sent(one: Deployment, request: str) -> bytes:
    """What comes back over HTTP/1.1 of bytes that are one request, or several."""
    out = one.output()
    words = [HOSTS["client"], "443", HOST_NAME, str(one.identity.authority), json.dumps(request)]
    status, said = await one.run(
        [sys.executable, "-I", str(PROGRAMS / "raw_request.py"), *words], out, "client"
    )
    assert status == 0, said
    return out.read_bytes()


async def asked(one: Deployment, protocol: str, requests: Sequence[Odd]) -> list[int | None]:
    """The status of each, sent over `h2` or `h3`; None of those that the server cut off."""
    out = one.output()
    words = [protocol, HOSTS["client"], HOST_NAME, str(one.identity.authority), json.dumps(requests)]
    status, said = await one.run([sys.executable, str(PROGRAMS / "raw_fields.py"), *words], out, "client")
    assert status == 0, said
    return [json.loads(line) for line in out.read_text(encoding="ascii").splitlines()]
