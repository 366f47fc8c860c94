"""In mid-load the client's mapping or address changes: a QUIC connection goes on, TCP's is lost."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pronghorn import origins
from pronghorn.certificates import Certificates
from pronghorn.model.arm import parse
from pronghorn.model.trial import Counters, OriginRequest, PageLoad
from pronghorn.origins import OriginSetup

from . import pages
from .benches import CONTROLS, bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

Found = TypeVar("Found", tuple[PageLoad, Counters], tuple[PageLoad, Counters, list[OriginRequest]])

PATH = both_ways(link(20, rate_mbit=40, queue_bytes=400_000))
HALF_S = 1.0
"""Ten megabytes take two seconds at 40 Mbit/s."""
DEVICE = "path0"

ATTEMPTS = 3
"""An origin that a busy host stops at the very instant has nothing on its way to the client, which then has
nothing to answer: neither end learns of the change, and the load is made anew."""
LOST_S = 20.0
"""Ten times a load's time."""


@pytest.fixture(scope="module")
def ten_megabytes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 300 scripts, which come one after the other, so that requests are always on their way."""
    root = tmp_path_factory.mktemp("changing") / "site"
    pages.write(
        root, [pages.Named(f"part-{number}", "script", 33_000, blocking=False) for number in range(300)]
    )
    return root


def rebound(
    root: Path,
    identity: Certificates,
    folder: Path,
    protocol: str,
    wanted: tuple[str, str | None],
    *,
    virtual: bool = True,
) -> tuple[PageLoad, Counters]:
    """A load during which the NAT rebinds, with the wanted outcome and reason in one of some attempts."""
    path: dict[str, Any] = {**PATH, "rebind_ns": [round(HALF_S * 1e9)]}

    async def attempt() -> tuple[PageLoad, Counters]:
        async with bench(folder, virtual=virtual) as one:
            await one.open(path)
            page = await one.load(root, identity, protocol, limit_s=LOST_S)
            return page, await one.close()

    return one_of_some(lambda _: asyncio.run(attempt()), wanted)


def one_of_some(attempt: Callable[[int], Found], wanted: tuple[str, str | None]) -> Found:
    """The first attempt that met the change and has the wanted outcome and reason, else the last."""
    found = attempt(0)
    for number in range(1, ATTEMPTS):
        page, down = found[0], found[1].down
        if (page.outcome, page.reason) == wanted and down is not None and down.nat_dropped:
            break
        found = attempt(number)
    return found


@pytest.mark.parametrize("virtual", [pytest.param(False, marks=pytest.mark.needs("namespaces")), True])
def test_h3_goes_on_over_one_connection_when_the_nat_rebinds(
    virtual: bool, ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    page, counters = rebound(ten_megabytes, identity, tmp_path, "h3", ("ok", None), virtual=virtual)

    assert (page.outcome, page.reason) == ("ok", None)
    assert len(page.connections) == 1
    assert counters.down is not None and counters.down.nat_dropped > 0
    assert page.load_s is not None and page.load_s > HALF_S


def test_h2_is_reset_when_the_nat_rebinds(
    ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    page, counters = rebound(ten_megabytes, identity, tmp_path, "h2", ("failed", "reset"))

    assert (page.outcome, page.reason) == ("failed", "reset"), page.detail
    assert counters.down is not None and counters.down.nat_dropped > 0


def test_h3_migrates_when_the_hosts_address_changes(
    ten_megabytes: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def run() -> PageLoad:
        async with bench(tmp_path, virtual=True) as one:
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


NEAR: dict[str, Any] = {
    **both_ways(link(5, rate_mbit=40, queue_bytes=400_000)),
    "rebind_ns": [round(HALF_S * 1e9)],
}
SHIPPED_WORKERS = "worker_processes auto;\nworker_cpu_affinity auto;"
PATIENCE_S = 8.0
"""Four times a load's time; who has heard nothing by then won't."""


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of one resource of ten megabytes: nginx keeps the 64 kB of one stream's buffer on the way, which
    leaves its congestion window room for the challenge to the new address (docs/servers.md)."""
    root = tmp_path_factory.mktemp("one-file") / "site"
    pages.write(root, [pages.Named("all", "script", 10_000_000, blocking=False)])
    return root


def rebound_on_nginx(
    protocol: str, root: Path, identity: Certificates, folder: Path, limit_s: float
) -> tuple[PageLoad, Counters, list[OriginRequest]]:
    """A load from an nginx as shipped but for one worker: another one would reset the connection, which it
    doesn't know."""
    text = origins.find("nginx").identity()["configuration"]
    assert SHIPPED_WORKERS in text
    origin = origins.CONFIGURABLE["nginx"](text.replace(SHIPPED_WORKERS, "worker_processes 1;"), None)
    folder.mkdir()
    (folder / "nginx").mkdir()

    async def run() -> tuple[PageLoad, Counters, list[OriginRequest]]:
        async with bench(folder, virtual=True) as one:
            _, address = await one.open(NEAR)
            setup = OriginSetup(root, identity, parse(protocol), {}, folder / "nginx", address, 443)
            running = await origin.start(one.engine, setup)
            page = await one.visit(identity, protocol, 443, congestion_control=CONTROLS, limit_s=limit_s)
            log = await running.log()
            return page, await one.close(), log.requests

    return asyncio.run(run())


@pytest.mark.needs("nginx")
def test_h3_goes_on_without_a_new_handshake_when_the_nat_before_nginx_rebinds(
    one_file: Path, identity: Certificates, tmp_path: Path
) -> None:
    page, counters, log = one_of_some(
        lambda number: rebound_on_nginx("h3", one_file, identity, tmp_path / str(number), LOST_S),
        ("ok", None),
    )

    assert (page.outcome, page.reason, page.detail) == ("ok", None, None)
    [connection] = page.connections
    assert connection.secured_s is not None and connection.secured_s < HALF_S
    assert page.load_s is not None and page.load_s > HALF_S
    assert counters.down is not None and counters.down.nat_dropped > 0
    assert {request.protocol for request in log} == {"h3"}


@pytest.mark.needs("nginx")
def test_h2_is_lost_when_the_nat_before_nginx_rebinds(
    one_file: Path, identity: Certificates, tmp_path: Path
) -> None:
    page, counters, _ = rebound_on_nginx("h2", one_file, identity, tmp_path / "h2", PATIENCE_S)

    assert page.outcome == "failed"
    assert page.reason in ("reset", "timeout"), "a client that has nothing to send meets no reset"
    assert counters.down is not None and counters.down.nat_dropped > 0
    lost = page.resources[-1]
    assert lost.error is not None or lost.last_byte_s is None
    assert lost.bytes < 10_000_000
