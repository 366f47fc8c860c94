"""In mid-load the client's mapping or address changes: a QUIC connection goes on, TCP's is lost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model.trial import Counters, PageLoad

from . import pages
from .benches import Bench, bench
from .links import both_ways, link

pytestmark = pytest.mark.needs("namespaces")

PATH = both_ways(link(20, rate_mbit=40, queue_bytes=400_000))
HALF_S = 1.0
"""Ten megabytes take two seconds at 40 Mbit/s."""
DEVICE = "path0"


@pytest.fixture(scope="module")
def ten_megabytes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 300 scripts, which come one after the other, so that requests are always on their way."""
    root = tmp_path_factory.mktemp("changing") / "site"
    pages.write(
        root, [pages.Named(f"part-{number}", "script", 33_000, blocking=False) for number in range(300)]
    )
    return root


async def rebound(one: Bench, root: Path, identity: Certificates, protocol: str) -> tuple[PageLoad, Counters]:
    path: dict[str, Any] = {**PATH, "rebind_ns": [round(HALF_S * 1e9)]}
    await one.open(path)
    page = await one.load(root, identity, protocol)
    return page, await one.close()


def test_h3_goes_on_over_one_connection_when_the_nat_rebinds(
    ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def run() -> tuple[PageLoad, Counters]:
        async with bench(tmp_path) as one:
            return await rebound(one, ten_megabytes, identity, "h3")

    page, counters = asyncio.run(run())

    assert (page.outcome, page.reason) == ("ok", None)
    assert len(page.connections) == 1
    assert counters.down is not None and counters.down.nat_dropped > 0
    assert page.load_s is not None and page.load_s > HALF_S


def test_h2_is_reset_when_the_nat_rebinds(
    ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def run() -> tuple[PageLoad, Counters]:
        async with bench(tmp_path) as one:
            return await rebound(one, ten_megabytes, identity, "h2")

    page, counters = asyncio.run(run())

    assert (page.outcome, page.reason) == ("failed", "reset"), page.detail
    assert counters.down is not None and counters.down.nat_dropped > 0


def test_h3_migrates_when_the_hosts_address_changes(
    ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def run() -> PageLoad:
        async with bench(tmp_path) as one:
            client, _ = await one.open(PATH)
            port = await one.serve(ten_megabytes, identity)
            other = client.rsplit(".", 1)[0] + ".9"
            program = await one.start("client", "readdress", DEVICE, client, other, HALF_S)
            page = await one.visit(identity, "h3", port)
            await one.finish(program)
            await one.close()
            return page

    page = asyncio.run(run())

    assert (page.outcome, page.reason) == ("ok", None)
    [connection] = page.connections
    [migrated_s] = connection.migrations
    assert page.load_s is not None and migrated_s < page.load_s
