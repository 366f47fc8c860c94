"""0-RTT data at the servers of deploy/: refused as they are shipped; where their files' words are followed, a
safe request is marked for the application, and any other one is answered 425 and comes again."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates
from pronghorn.model.trial import PageLoad

from ..e2e import deployed
from ..e2e.deployment import deployment
from ..e2e.forwarded import ADDRESSES, expected, forwarded
from ..e2e.links import both_ways, link

pytestmark = pytest.mark.needs("namespaces", *deployed.SERVERS)

FAR = both_ways(link(200))
"""Long enough for a server that is stopped for 300 ms to see early data before the handshake's end."""

ON = [(server, protocol) for server in ("nginx", "haproxy") for protocol in ("h1", "h2", "h3")]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return certificates.make(tmp_path_factory.mktemp("identity"))


def early(page: PageLoad) -> str | None:
    """What became of a load's early data."""
    (connection,) = page.connections
    assert (page.outcome, page.detail) == ("ok", None)
    return connection.early_data


@pytest.mark.parametrize(("server", "protocol"), ON)
def test_a_safe_request_is_marked_and_another_one_comes_again(
    server: str, protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        edits = deployed.EARLY_DATA[server]
        async with deployment(server, tmp_path, identity, edits=edits, path=FAR) as one:
            for method, told in (("GET", {"early-data": "1"}), ("POST", {})):
                await one.visit(protocol, session="gain", document="/gain")
                page = await one.visit(protocol, session="0rtt", method=method, document=f"/{method}")
                assert early(page) == "accepted"
                (document,) = page.resources
                assert (document.status, document.too_early_s is not None) == (200, method == "POST")
                (got,) = one.got(f"/{method}")
                assert forwarded(got["headers"]) == {**expected(*ADDRESSES["client"]), **told}

    asyncio.run(asked())


@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
@pytest.mark.parametrize("server", deployed.SERVERS)
def test_as_shipped_no_server_takes_early_data(
    server: str, protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        async with deployment(server, tmp_path, identity, path=FAR) as one:
            await one.visit(protocol, session="gain", document="/gain")
            page = await one.visit(protocol, session="0rtt", method="POST", document="/early")
            assert early(page) != "accepted"
            (got,) = one.got("/early")
            assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


def test_caddy_answers_an_unsafe_request_425_where_somebody_lets_early_data_in(
    identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        edits = deployed.EARLY_DATA["caddy"]
        async with deployment("caddy", tmp_path, identity, edits=edits, path=FAR) as one:
            await one.visit("h3", session="gain", document="/gain")
            page = await one.visit("h3", session="0rtt", method="POST", document="/early")
            assert (early(page), page.resources[0].too_early_s is not None) == ("accepted", True)
            (got,) = one.got("/early")
            assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])

    asyncio.run(asked())
