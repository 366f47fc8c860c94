"""The configurations of deploy/ in every way that they are meant for: each protocol by Chromium, found by
Alt-Svc, by an HTTPS record, or forced; 0-RTT, which they refuse unless told otherwise; requests that mean one
thing to one server and another to the next; behind the shipped firewall."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates

from ..e2e import deployed
from ..e2e.deployment import deployment
from ..e2e.links import both_ways, link

pytestmark = pytest.mark.needs("namespaces", "curl-http3", "chromium", *deployed.SERVERS)

SERVERS = pytest.mark.parametrize("server", deployed.SERVERS)

RTT_S = 0.4


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return certificates.make(tmp_path_factory.mktemp("identity"))


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
@SERVERS
def test_early(server: str, protocol: str, method: str, identity: Certificates, tmp_path: Path) -> None:
    async def early():
        far = both_ways(link(1000 * RTT_S / 2))
        async with deployment(server, tmp_path, identity, edits=deployed.EARLY_DATA[server], path=far) as one:
            g = await one.visit(protocol, session="gain", document="/gain")
            page = await one.visit(protocol, session="0rtt", method=method, document="/early")
            print("GAIN", g)
            print("PAGE", page)
            for o in one.got("/early"):
                print("GOT", o)
            print(one.last_words())

    asyncio.run(early())
    assert 0
