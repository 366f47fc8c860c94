"""In mid-load the client gets to another network: h3 goes on by migrating, h2 hears nothing more."""

import asyncio
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model.trial import Counters, PageLoad

from . import links, pages
from .benches import bench
from .links import link
from .pages import Named

pytestmark = pytest.mark.needs("namespaces")

NAMED = [Named("large", "image", 2_400_000)]

AT_NS = 1_200_000_000
"""At 8 Mbit/s the image needs 2.4 s, so that a busy host may begin or end with it a second late."""

WIFI = links.both_ways(link(10, rate_mbit=8, queue_bytes=60_000))
LTE = links.both_ways(link(30, rate_mbit=8, queue_bytes=60_000))


async def load(
    folder: Path, identity: Certificates, protocol: str, limit_s: float
) -> tuple[PageLoad, Counters]:
    pages.write(folder / "site", NAMED)
    async with bench(folder) as one:
        await one.open({**WIFI, "handover": {"at_ns": AT_NS, "path": LTE}})
        page = await one.load(folder / "site", identity, protocol, limit_s=limit_s)
        return page, await one.close()


def assert_moved(counters: Counters) -> None:
    assert counters.handover is not None
    assert counters.handover.address == "198.18.0.9"
    assert counters.down is not None
    assert counters.down.left_behind > 0


def test_h3_finishes_on_the_connection_that_it_had(tmp_path: Path, identity: Certificates) -> None:
    page, counters = asyncio.run(load(tmp_path, identity, "h3", limit_s=60))
    assert page.outcome == "ok", page.detail
    assert len(page.connections) == 1
    assert len(page.connections[0].migrations) == 1
    assert_moved(counters)


def test_h2_hears_nothing_more(tmp_path: Path, identity: Certificates) -> None:
    page, counters = asyncio.run(load(tmp_path, identity, "h2", limit_s=10))
    assert page.outcome == "failed"
    assert_moved(counters)
