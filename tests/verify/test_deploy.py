"""The configurations of deploy/ in every way that they are meant for: loaded by Chromium over each protocol,
behind the shipped firewall, with older servers, and as other users."""

import asyncio
import pwd
import subprocess
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates
from pronghorn.model.trial import PageLoad

from .. import peers
from ..e2e import deployed
from ..e2e.deployed_visits import visit
from ..e2e.deployment import PROTOCOLS, deployment
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
    assert {one["path"] for one in got} == {one.path for one in found.page.resources}
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
            # Without the firewall nothing listens there, and the connection is refused at once.
            closed = [str(peers.find("curl")), "--max-time", "3", "http://198.18.0.2:81/"]
            timed_out = 28
            assert (await one.run(closed, one.output(), "client"))[0] == timed_out
            lacking = tmp_path / "lacking.conf"
            lacking.write_text(shipped.read_text(encoding="utf-8").replace("udp dport 443 accept", ""))
            assert await one.run(["nft", "-f", str(lacking)], tmp_path / "nft.out", "server") == (0, "")
            assert (await one.curl("--http2"))[0].status == 200
            with pytest.raises(AssertionError, match="curl: "):
                await one.curl("--http3-only", "--retry", "0", "--max-time", "2")

    asyncio.run(asked())


@pytest.mark.needs("nginx@1.26")
def test_the_oldest_nginx_that_the_file_names_serves_it(identity: Certificates, tmp_path: Path) -> None:
    async def asked() -> None:
        async with deployment("nginx@1.26", tmp_path, identity) as one:
            for protocol in PROTOCOLS:
                assert forwarded(await one.echoed(protocol)) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


@pytest.mark.needs("haproxy@3.0")
def test_a_haproxy_that_passes_trailers_on_refuses_the_file(identity: Certificates, tmp_path: Path) -> None:
    deployed.lay_out("haproxy@3.0", tmp_path, identity)
    check = deployed.check("haproxy@3.0")
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "this file needs HAProxy 3.2" in done.stderr


@pytest.mark.needs("root")
def test_haproxy_heeds_the_variables_of_its_environment(identity: Certificates, tmp_path: Path) -> None:
    async def asked() -> None:
        variables = {"RUN_AS": "daemon", "FOLLOW_DNS": "1"}
        async with deployment("haproxy", tmp_path, identity, variables=variables) as one:
            for protocol in PROTOCOLS:
                assert forwarded(await one.echoed(protocol)) == expected(*ADDRESSES["client"])
            owners = "for status in /proc/[0-9]*/status; do grep -q haproxy ${status%status}cmdline && "
            owners += "grep ^Uid: $status; done"
            out = one.output()
            assert (await one.run(["sh", "-c", owners], out, "server"))[0] is not None
            user = str(pwd.getpwnam("daemon").pw_uid)
            serving = [line.split()[1:] for line in out.read_text(encoding="ascii").splitlines()]
            assert [user] * 4 in serving

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


@pytest.mark.parametrize("protocol", ["h2", "h3"])
def test_nginx_resumes_a_session_of_before_its_reload(
    protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> PageLoad:
        async with deployment("nginx", tmp_path, identity) as one:
            await one.visit(protocol, session="gain", document="/gain")
            reload = f"kill -HUP $(cat {one.folder}/nginx.pid) && sleep 1"
            assert await one.run(["sh", "-c", reload], tmp_path / "reload.out", "server") == (0, "")
            return await one.visit(protocol, session="resumed", document="/resumed")

    page = asyncio.run(asked())
    assert page.outcome == "ok"
    assert [connection.resumed for connection in page.connections] == [True]
