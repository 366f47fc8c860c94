"""The configurations of deploy/, as they stand there: an application behind each gets the same forwarded
headers over h1, h2 and h3, and nothing that a client forged."""

import asyncio
import re
import subprocess
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.environment import passed_on

from . import deployed, forged, odd_requests
from .deployed_visits import visit
from .deployment import HOSTS, PROTOCOLS, Deployment, deployment
from .forwarded import ADDRESSES, expected, forwarded

pytestmark = [pytest.mark.needs("namespaces", "curl-http3"), pytest.mark.beside]

SERVERS = pytest.mark.parametrize(
    "server", [pytest.param(name, marks=pytest.mark.needs(name)) for name in deployed.SERVERS]
)

MEANT = "server is listening only on the http port, so no automatic https will be applied"
"""The one warning that a file says itself."""

ALTERNATIVE = 'h3=":443"; ma=300'
UPGRADES = (
    ("h2c",),
    ("irc/1.0",),
    ("h2c, websocket",),
    ("h2c", "websocket"),
    ("websocket", "h2c"),
    ("WebSocket,h2c",),
)
"""Upgrade's lines in requests that would leave HTTP for something else than a WebSocket. HAProxy drops `h2c`
from such a list itself, and opens what is left."""

Within = Callable[[Deployment], Awaitable[None]]


def within(server: str, folder: Path, identity: Certificates, *asked: Within) -> None:
    """Asks a server of deploy/ one thing after the other."""

    async def one_after_the_other() -> None:
        async with deployment(server, folder, identity) as one:
            for ask in asked:
                await ask(one)

    asyncio.run(one_after_the_other())


@SERVERS
def test_a_server_accepts_its_configuration_without_a_warning(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    deployed.lay_out(server, tmp_path, identity)
    done = subprocess.run(
        deployed.check(server),
        cwd=tmp_path,
        env={**passed_on(), **deployed.environment(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = (done.stdout + done.stderr).lower().splitlines()
    assert [line for line in lines if "warn" in line and MEANT not in line] == []


@SERVERS
def test_the_application_gets_the_same_over_every_protocol_and_nothing_forged(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    within(
        server,
        tmp_path,
        identity,
        says_the_same_over_every_protocol,
        partial(drops_what_is_forged, server=server),
        drops_trailers,
        drops_no_header_that_the_connection_names,
        lets_websocket_through_and_no_other_upgrade,
        sends_the_application_nothing_forged_and_no_foreign_token,
        refuses_other_names,
        partial(redirects_to_https_all_but_a_challenge, server=server),
        says_the_same_alternative_without_an_application,
    )


async def says_the_same_over_every_protocol(one: Deployment) -> None:
    for host, (plain, standard) in ADDRESSES.items():
        for protocol in PROTOCOLS:
            (answer,) = await one.curl(protocol, host=host)
            assert answer.headers["alt-svc"] == ALTERNATIVE
            for name in (HOST_NAME, f"{HOST_NAME}:443", HOST_NAME.upper()):
                headers = await one.echoed(protocol, f"-HHost: {name}", host=host)
                assert forwarded(headers) == expected(plain, standard), (protocol, name)


async def drops_what_is_forged(one: Deployment, *, server: str) -> None:
    for protocol in PROTOCOLS:
        for options in forged.requests(server):
            headers = await one.echoed(protocol, *options)
            assert forged.arrived(headers) == []
            assert forwarded(headers) == expected(*ADDRESSES["client"])
            assert [value for name, value in headers if name == forged.KEPT.lower()] == ["kept"]


async def drops_trailers(one: Deployment) -> None:
    trailers = [(name, f"{forged.MARK}.example") for name in ("remote-user", "x-forwarded-for", "x-shop")]
    announced = [("te", "trailers"), ("trailer", "remote-user, x-forwarded-for, x-shop")]
    head = odd_requests.fields(*announced, path="/trailers")
    for protocol in ("h2", "h3"):
        odd = odd_requests.Odd(head, "body", trailers)
        (status,) = await odd_requests.asked(one, protocol, [odd])
        # nginx ends an HTTP/2 connection that has trailers.
        assert status in (200, None), protocol
    lines = ["POST /trailers HTTP/1.1", f"Host: {HOST_NAME}", "Transfer-Encoding: chunked"]
    lines += [f"{name}: {value}" for name, value in [*announced, ("connection", "te, close")]]
    lines += ["", "4", "body", "0", *(f"{name}: {value}" for name, value in trailers), "", ""]
    assert (await odd_requests.sent(one, "\r\n".join(lines))).startswith(b"HTTP/1.1 200 ")
    for got in one.got("/trailers"):
        assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])
    assert one.raw().count(b"POST /trailers ") >= 1


async def drops_no_header_that_the_connection_names(one: Deployment) -> None:
    named = ", ".join(expected("", ""))
    for tokens in (f"close, {named}", named, f"keep-alive, {named}"):
        headers = await one.echoed("--http1.1", "--header", f"Connection: {tokens}")
        assert forwarded(headers) == expected(*ADDRESSES["client"])


async def sends_the_application_nothing_forged_and_no_foreign_token(one: Deployment) -> None:
    """Of all that was asked so far, in the very bytes: an application may read what Hypercorn hides, and obey
    what it ignores."""
    raw = one.raw().lower()
    assert b"get /echo " in raw
    assert forged.MARK.encode() not in raw
    told = set(re.findall(rb"^(?:proxy-)?connection: *(.*?)\r$", raw, re.MULTILINE))
    assert told <= {b"close", b"keep-alive", b"upgrade"}
    assert b"upgrade" in told


async def lets_websocket_through_and_no_other_upgrade(one: Deployment) -> None:
    key = ("-HSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "-HSec-WebSocket-Version: 13")
    settings = (*key, "-HHTTP2-Settings: AAMAAABkAAQAAP__", "-HConnection: Upgrade, HTTP2-Settings")
    for number, upgrades in enumerate(UPGRADES):
        lines = [f"-HUpgrade: {upgrade}" for upgrade in upgrades]
        (answer,) = await one.curl("--http1.1", *settings, *lines, path=f"/upgrade-{number}")
        assert answer.headers.get("upgrade", "websocket").lower() == "websocket"
        for got in one.got(f"/upgrade-{number}"):
            told = {name: value.lower() for name, value in got["headers"]}
            assert told.get("upgrade", "websocket") == "websocket", upgrades
            assert "http2-settings" not in told, upgrades
    (answer,) = await one.curl(
        "--http1.1", *key, "-HConnection: Upgrade", "-HUpgrade: websocket", path="/socket"
    )
    assert answer.status == 101
    (got,) = one.got("/socket")
    assert got["type"] == "websocket"
    assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])


async def refuses_other_names(one: Deployment) -> None:
    for host in HOSTS:
        for protocol in PROTOCOLS:
            (answer,) = await one.curl(protocol, "-HHost: another.test", path="/elsewhere", host=host)
            assert answer.status == 421, (host, protocol)
            assert answer.headers.get("alt-svc", ALTERNATIVE) == ALTERNATIVE, (host, protocol)
    target = ("--request-target", "https://another.test/elsewhere")
    (answer,) = await one.curl("--http1.1", *target, path="/elsewhere")
    assert answer.status in (400, 421)
    assert one.got("/elsewhere") == []


async def redirects_to_https_all_but_a_challenge(one: Deployment, *, server: str) -> None:
    (answer,) = await one.curl(scheme="http", path="/a?b=c")
    assert answer.status in (301, 308)
    assert answer.headers["location"] == f"https://{HOST_NAME}/a?b=c"
    assert "alt-svc" not in answer.headers
    (answer,) = await one.curl("-HHost: another.test", scheme="http", path="/a")
    assert answer.headers.get("location", f"https://{HOST_NAME}/a") == f"https://{HOST_NAME}/a"
    if server != "caddy":  # It asks for its certificates itself.
        (answer,) = await one.curl(scheme="http", path=deployed.CHALLENGE)
        assert answer.status == 200


async def says_the_same_alternative_without_an_application(one: Deployment) -> None:
    """The application's end comes first."""
    await one.curl("--http1.1", path="/end")
    (answer,) = await one.curl("--http2", path="/gone")
    assert answer.status in (502, 503)
    assert answer.headers["alt-svc"] == ALTERNATIVE


@SERVERS
@pytest.mark.needs("chromium")
def test_chromium_begins_over_h2_and_goes_on_over_h3_as_alt_svc_says(
    server: str, identity: Certificates, tmp_path: Path
) -> None:
    found, got = visit(server, "h3~altsvc", identity, tmp_path)

    seen = [one.protocol for one in found.page.resources]
    assert (seen[0], seen[-1]) == ("h2", "h3")
    assert seen == sorted(seen, key=str), "it went back to h2"
    assert {one["path"] for one in got} == {one.path for one in found.page.resources}
    assert [forwarded(one["headers"]) for one in got] == [expected(*ADDRESSES["client"])] * len(got)
