"""Requests to the servers of deploy/ that two servers could read differently, or that say what only a server
may say: nothing of them reaches the application past the server in front of it."""

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME, Certificates

from ..e2e import deployed, odd_requests
from ..e2e.deployment import Deployment, deployment
from ..e2e.forwarded import ADDRESSES, expected, forwarded
from ..e2e.odd_requests import Odd, fields

pytestmark = pytest.mark.needs("namespaces", "curl-http3", *deployed.SERVERS)

SERVERS = pytest.mark.parametrize("server", deployed.SERVERS)


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return certificates.make(tmp_path_factory.mktemp("identity"))


TRIES = 3
FOLLOWING = 3
ONE_WORKER: Mapping[str, Mapping[str, str]] = {"nginx": {"worker_processes auto;": "worker_processes 1;"}}
"""So that requests that follow come over the connections to the application that earlier ones left."""

PREFIX = f"POST /outer HTTP/1.1\r\nHost: {HOST_NAME}\r\n"
SMUGGLED = "\r\n".join(
    (
        *(
            "GET /smuggled HTTP/1.1",
            f"Host: {HOST_NAME}",
            "X-Forwarded-For: 203.0.113.66",
            "Connection: close",
        ),
        *("", ""),
    )
)
HONEST = f"{PREFIX}Content-Length: 5\r\n\r\n0\r\n\r\n{SMUGGLED}"
"""Two requests in every server's eyes."""

CHUNKED = "Transfer-Encoding: chunked\r\n"
SIZED = f"Content-Length: {len(SMUGGLED) + 5}\r\n"

AMBIGUOUS = {
    "a length and chunks": f"{PREFIX}{SIZED}{CHUNKED}\r\n0\r\n\r\n{SMUGGLED}",
    "chunks and a length": f"{PREFIX}{CHUNKED}{SIZED}\r\n0\r\n\r\n{SMUGGLED}",
    "two lengths": f"{PREFIX}{SIZED}Content-Length: 5\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a list of lengths": f"{PREFIX}Content-Length: 5, {len(SMUGGLED) + 5}\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a signed length": f"{PREFIX}Content-Length: +5\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "an unknown coding": f"{PREFIX}{SIZED}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "two codings": f"{PREFIX}{SIZED}{CHUNKED}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a space before the colon": f"{PREFIX}{SIZED}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a folded line": f"{PREFIX}{SIZED}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "an underscore": f"{PREFIX}{SIZED}Transfer_Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a bare line feed": f"{PREFIX}{SIZED}X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a length of chunks out of range": f"{PREFIX}{CHUNKED}\r\n10000000000000000\r\n\r\n{SMUGGLED}",
}
"""Requests of which one server could read one and the next two. What stands after their body is a whole
request. It is honest if it isn't part of the body: it may be answered, but with the client's own address."""


@SERVERS
def test_no_request_reaches_the_application_past_the_server(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        async with deployment(server, tmp_path, identity, edits=ONE_WORKER.get(server, {})) as one:
            assert await answered(one, HONEST) == ["200", "200"]
            assert [got["path"] for got in deployed.got(one.folder)] == ["/outer", "/smuggled"]
            for case, request in AMBIGUOUS.items():
                statuses = await answered(one, request)
                # Caddy streams: it sees that a body is broken when it has begun to pass it on (502).
                assert set(statuses) <= {"200", "400", "413", "501", "502"}, (case, statuses)
                # Whatever came before, the next requests are whole ones, over the same connections.
                for _ in range(FOLLOWING):
                    headers = await one.echoed("--http1.1")
                    assert forwarded(headers) == expected(*ADDRESSES["client"]), case
            for got in deployed.got(one.folder):
                assert got["path"] in ("/outer", "/smuggled", "/echo")
                assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


async def answered(one: Deployment, request: str) -> list[str]:
    """The statuses of what comes back: the application has got no request without an answer. Sent again where
    a busy host delays an answer for longer than a silence is waited for."""
    for _ in range(TRIES):
        before = len(deployed.got(one.folder))
        heard = await odd_requests.sent(one, request)
        statuses = [found.decode() for found in re.findall(rb"HTTP/1\.1 (\d{3}) ", heard)]
        got = len(deployed.got(one.folder)) - before
        if got <= len(statuses):
            return statuses
    raise AssertionError(f"{got} requests reached the application, {statuses} came back: {request!r}")


ODD_FIELDS: dict[str, tuple[list[tuple[str, str]], str]] = {
    "another host beside the authority": (fields(("host", "another.test")), ""),
    "two hosts and no authority": (
        fields(("host", HOST_NAME), ("host", "another.test"), without="authority"),
        "",
    ),
    "another scheme": (fields(scheme="http"), ""),
    "chunks": (fields(("transfer-encoding", "chunked")), f"0\r\n\r\n{SMUGGLED}"),
    "too short a length": (fields(("content-length", "5")), f"0\r\n\r\n{SMUGGLED}"),
    "two lengths": (fields(("content-length", "5"), ("content-length", "500")), f"0\r\n\r\n{SMUGGLED}"),
    "a line in a value": (fields(("x-shop", "a\r\nX-Real-IP: 203.0.113.66")), ""),
    "a request in a value": (fields(("x-shop", f"a\r\n\r\n{SMUGGLED}")), ""),
    "a line in a name": (fields(("x-shop: a\r\nx-real-ip", "203.0.113.66")), ""),
    "a colon in a name": (fields(("x-real-ip: 203.0.113.66 x", "y")), ""),
    "capitals in a name": (fields(("X-Real-IP", "203.0.113.66")), ""),
    "a request in the path": (fields(path=f"/outer HTTP/1.1\r\nHost: {HOST_NAME}\r\n\r\n{SMUGGLED}"), ""),
    "a request in the method": (
        fields(method="GET /smuggled HTTP/1.1\r\nX-Real-IP: 203.0.113.66\r\n\r\nGET"),
        "",
    ),
    "a user in the authority": (fields(authority=f"another.test@{HOST_NAME}"), ""),
    "a field that names the connection's": (fields(("connection", "x-forwarded-for, forwarded")), ""),
    "another address": (fields(("x-forwarded-for", "203.0.113.66"), ("x-real-ip", "203.0.113.66")), ""),
}
"""Requests over HTTP/2 and HTTP/3 that mean something else as HTTP/1.1, or that nobody should send. Servers
may refuse all but the last."""


@pytest.mark.parametrize("protocol", ["h2", "h3"])
@SERVERS
def test_no_odd_field_of_h2_or_h3_means_something_to_the_application(
    server: str, protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> list[int | None]:
        async with deployment(server, tmp_path, identity) as one:
            statuses = await odd_requests.asked(one, protocol, [Odd(*odd) for odd in ODD_FIELDS.values()])
            for got in deployed.got(one.folder):
                assert (got["path"], got["method"]) == ("/outer", "POST")
                assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])
                assert "203.0.113.66" not in json.dumps(got)
            assert len(deployed.got(one.folder)) >= statuses.count(200)
            return statuses

    statuses = dict(zip(ODD_FIELDS, asyncio.run(asked()), strict=True))
    assert statuses["another address"] == 200
