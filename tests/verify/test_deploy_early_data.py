"""0-RTT data at the servers of deploy/: refused as they are shipped; where their files' words are followed, a
safe request is marked for the application, and any other one is answered 425 and comes again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates
from pronghorn.model.trial import PageLoad

from ..e2e import deployed
from ..e2e.deployment import Deployment, deployment
from ..e2e.forwarded import ADDRESSES, expected, forwarded
from ..e2e.links import both_ways, link

pytestmark = pytest.mark.needs("namespaces", *deployed.SERVERS)

FAR = both_ways(link(200))
"""Long enough for a server that is stopped for 300 ms to see early data before the handshake's end."""

TRIES = 4
"""A host that holds a server up for longer than a round trip lets the handshake end before the early data is
read. It counts as early no more, then."""

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
            page, got = await returned(one, protocol, "GET")
            assert (page.resources[0].status, page.resources[0].too_early_s) == (200, None)
            assert got == {**expected(*ADDRESSES["client"]), "early-data": "1"}
            page, got = await returned(one, protocol, "POST")
            assert (page.resources[0].status, was_too_early(page)) == (200, True)
            assert got == expected(*ADDRESSES["client"])

    asyncio.run(asked())


async def returned(one: Deployment, protocol: str, method: str) -> tuple[PageLoad, dict[str, Any]]:
    """A visit with 0-RTT data after another one, and what the application learnt by it: the first that the
    server read early, or the last of `TRIES`."""
    for number in range(TRIES):
        path = f"/{method}-{number}"
        await one.visit(protocol, session="gain", document="/gain")
        page = await one.visit(protocol, session="0rtt", method=method, document=path)
        # By the handshake's end it is accepted or not, however late the server reads it.
        assert early(page) == "accepted"
        (got,) = one.got(path)
        learnt = forwarded(got["headers"])
        if "early-data" in learnt or was_too_early(page):
            break
    return page, learnt


def was_too_early(page: PageLoad) -> bool:
    """Whether the server answered 425."""
    return page.resources[0].too_early_s is not None


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
            # It had a ticket, and the server took it.
            assert page.connections[0].resumed is True
            (got,) = one.got("/early")
            assert forwarded(got["headers"]) == expected(*ADDRESSES["client"])

    asyncio.run(asked())


def test_caddy_answers_an_unsafe_request_425_where_somebody_lets_early_data_in(
    identity: Certificates, tmp_path: Path
) -> None:
    async def asked() -> None:
        edits = deployed.EARLY_DATA["caddy"]
        async with deployment("caddy", tmp_path, identity, edits=edits, path=FAR) as one:
            page, got = await returned(one, "h3", "POST")
            assert was_too_early(page)
            assert got == expected(*ADDRESSES["client"])

    asyncio.run(asked())
