"""The configurations of deploy/ in every way that they are meant for: loaded by Chromium over each protocol,
asked by requests that two servers could read differently, behind the shipped firewall, with older servers."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME, Certificates

from ..e2e import deployed
from ..e2e.benches import PROGRAMS
from ..e2e.deployed_visits import visit
from ..e2e.deployment import HOSTS, PROTOCOLS, Deployment, deployment
from ..e2e.forwarded import ADDRESSES, expected, forwarded

pytestmark = pytest.mark.needs("namespaces", "curl-http3", "chromium", *deployed.SERVERS)

SERVERS = pytest.mark.parametrize("server", deployed.SERVERS)

TRIES = 3
"""Chromium bounds its wait for a DNS record: on a busy host a load may begin over h2."""


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return certificates.make(tmp_path_factory.mktemp("identity"))


@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
@SERVERS
def test_chromium_shows_the_application_the_same_over_every_protocol(
    server: str, protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    found, got = visit(server, protocol, identity, tmp_path)

    assert {one.protocol for one in found.page.resources} == {protocol}
    assert len(got) == len(found.page.resources)
    assert [forwarded(one["headers"]) for one in got] == [expected(*ADDRESSES["client"])] * len(got)


@SERVERS
def test_the_shipped_https_record_gives_chromium_h3_on_the_first_request(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    def loads(number: int) -> set[str | None]:
        found, got = visit(server, "h3~https", identity, tmp_path / f"try-{number}")
        assert [forwarded(one["headers"]) for one in got] == [expected(*ADDRESSES["client"])] * len(got)
        return {one.protocol for one in found.page.resources}

    assert any(loads(number) == {"h3"} for number in range(TRIES))


PREFIX = f"POST /outer HTTP/1.1\r\nHost: {HOST_NAME}\r\n"
SMUGGLED = f"GET /smuggled HTTP/1.1\r\nHost: {HOST_NAME}\r\nX-Forwarded-For: 203.0.113.66\r\n\r\n"
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
        async with deployment(server, tmp_path, identity) as one:
            for case, request in AMBIGUOUS.items():
                await raw(one, identity, request)
                for got in [*one.got("/outer"), *one.got("/smuggled")]:
                    assert forwarded(got["headers"]) == expected(*ADDRESSES["client"]), case
            # Whatever came before, the next request is a whole one.
            headers = await one.echoed("--http1.1")
            assert forwarded(headers) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


async def raw(one: Deployment, identity: Certificates, request: str) -> None:
    """Sends a request as it stands here."""
    words = [HOSTS["client"], "443", HOST_NAME, str(identity.authority), json.dumps(request)]
    argv = [sys.executable, "-I", str(PROGRAMS / "raw_request.py"), *words]
    status, said = await one.run(argv, one.folder / "raw.out", "client")
    assert status == 0, said


def fields(*more: tuple[str, str], without: str = "", **pseudo: str) -> list[tuple[str, str]]:
    """A POST's header fields; pseudo-headers are named without their colon."""
    usual = {"method": "POST", "scheme": "https", "authority": HOST_NAME, "path": "/outer", **pseudo}
    return [*((f":{key}", value) for key, value in usual.items() if key != without), *more]


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
            out = tmp_path / "fields.out"
            words = [
                protocol,
                HOSTS["client"],
                HOST_NAME,
                str(identity.authority),
                json.dumps([*ODD_FIELDS.values()]),
            ]
            status, said = await one.run(
                [sys.executable, str(PROGRAMS / "raw_fields.py"), *words], out, "client"
            )
            assert status == 0, said
            for got in deployed.got(one.folder):
                assert (got["path"], got["method"]) == ("/outer", "POST")
                assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])
                assert "203.0.113.66" not in json.dumps(got)
            return [json.loads(line) for line in out.read_text().splitlines()]

    statuses = dict(zip(ODD_FIELDS, asyncio.run(asked()), strict=True))
    assert statuses["another address"] == 200


@pytest.mark.needs("nft", "root")
@SERVERS
def test_the_firewall_lets_every_protocol_through_and_without_the_line_of_udp_not_h3(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        async with deployment(server, tmp_path, identity) as one:
            shipped = deployed.DEPLOY / "host" / "nftables.conf"
            for check in (["-c"], []):
                assert await one.run(["nft", *check, "-f", str(shipped)], tmp_path / "nft.out", "server") == (
                    0,
                    "",
                )
            for protocol in PROTOCOLS:
                assert (await one.curl(protocol))[0].status == 200
            lacking = tmp_path / "lacking.conf"
            lacking.write_text(shipped.read_text(encoding="utf-8").replace("udp dport 443 accept", ""))
            assert await one.run(["nft", "-f", str(lacking)], tmp_path / "nft.out", "server") == (0, "")
            assert (await one.curl("--http2"))[0].status == 200
            with pytest.raises(AssertionError, match="curl: "):
                await one.curl("--http3-only", "--retry", "0", "--max-time", "2")

    asyncio.run(asked())


@pytest.mark.parametrize(
    "server",
    [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("nginx@1.26", "haproxy@3.0")],
)
def test_the_oldest_version_that_a_file_names_serves_it(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        async with deployment(server, tmp_path, identity) as one:
            for protocol in PROTOCOLS:
                assert forwarded(await one.echoed(protocol)) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


@pytest.mark.needs("root")
def test_haproxy_serves_as_the_user_whom_it_is_told(identity: Certificates, tmp_path: Path) -> None:
    async def asked() -> None:
        edits = {"defined(RUN_AS)": "1", "${RUN_AS-haproxy}": "daemon"}
        async with deployment("haproxy", tmp_path, identity, edits=edits) as one:
            for protocol in PROTOCOLS:
                assert forwarded(await one.echoed(protocol)) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


@pytest.mark.needs("root")
def test_nginx_picks_workers_by_connection_id_where_it_is_told_to(
    identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        edits = {"quic_bpf off;": "quic_bpf on;"}
        async with deployment("nginx", tmp_path, identity, edits=edits) as one:
            assert forwarded(await one.echoed("--http3-only")) == expected(*ADDRESSES["client"])

    asyncio.run(asked())
