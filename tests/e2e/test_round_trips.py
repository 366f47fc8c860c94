"""On an idle path of 50 ms, connection, TLS and first byte take the round trips that the protocols need."""

import asyncio
import statistics
from pathlib import Path

import pytest

from pronghorn import origins
from pronghorn.certificates import Certificates
from pronghorn.model.arm import parse
from pronghorn.model.trial import PageLoad
from pronghorn.origins import OriginSetup

from .benches import Bench, side_by_side
from .links import both_ways, link

pytestmark = pytest.mark.needs("namespaces")

ROUND_TRIP_S = 0.050
PATH = both_ways(link(25, rate_mbit=1000))
TRIALS = 20
SIDE_BY_SIDE = 3


def median_round_trips(page_times: list[float | None]) -> float:
    assert None not in page_times
    return statistics.median(time or 0.0 for time in page_times) / ROUND_TRIP_S


@pytest.mark.parametrize(
    ("protocol", "connect", "tls", "first_byte"), [("h1", 1, 2, 3), ("h2", 1, 2, 3), ("h3", 1, 1, 2)]
)
def test_handshakes_and_first_byte_take_their_round_trips(
    protocol: str, connect: int, tls: int, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def trial(bench: Bench) -> PageLoad:
        await bench.open(PATH)
        page = await bench.load(tiny, identity, protocol)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, tmp_path, [trial] * TRIALS))

    assert [page.outcome for page in pages] == ["ok"] * TRIALS
    assert {resource.protocol for page in pages for resource in page.resources} == {protocol}
    for what, times, least in (
        ("connect", [page.connect_s for page in pages], connect),
        ("TLS", [page.tls_s for page in pages], tls),
        ("first byte", [page.ttfb_s for page in pages], first_byte),
    ):
        assert least <= median_round_trips(times) < least + 0.3, what
    assert all(page.load_s is not None and page.load_s >= first_byte * ROUND_TRIP_S for page in pages)


FAR_ROUND_TRIP_S = 0.100
FAR = both_ways(link(50, rate_mbit=1000))
FAR_TRIALS = 5


def fewest_round_trips(pages: list[PageLoad]) -> float:
    """To the first byte of the load that the host's other work disturbed least: what a handshake needs, it
    needs in every load."""
    return min(page.ttfb_s or 0.0 for page in pages) / FAR_ROUND_TRIP_S


@pytest.mark.parametrize(
    ("protocol", "tls", "session", "first_byte"),
    [
        ("h2", "1.2", "cold", 4),
        ("h2", "1.2", "resume", 3),
        ("h2", "1.3", "cold", 3),
        ("h2", "1.3", "early", 2),
        ("h3", "1.3", "cold", 2),
        ("h3", "1.3", "resume", 2),
        ("h3", "1.3", "early", 1),
    ],
)
def test_tls_versions_and_sessions_cost_and_spare_their_round_trips(
    protocol: str, tls: str, session: str, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def trial(bench: Bench) -> PageLoad:
        await bench.open(FAR)
        port = await bench.serve(tiny, identity, early_data=session == "early")
        if session != "cold":
            gained = await bench.visit(identity, protocol, port, tls=tls, session="gain")
            assert gained.connections[0].resumed is False
        page = await bench.visit(identity, protocol, port, tls=tls, session=session)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, tmp_path, [trial] * FAR_TRIALS))

    first = [page.connections[0] for page in pages]
    assert {connection.tls_version for connection in first} == {f"TLS {tls}"}
    assert {connection.resumed for connection in first} == {session != "cold"}
    assert {connection.early_data for connection in first} == {"accepted" if session == "early" else None}
    assert {page.round_trips for page in pages} == {first_byte}
    assert first_byte <= fewest_round_trips(pages) < first_byte + 0.3


@pytest.mark.needs("nginx")
@pytest.mark.parametrize(("arm", "first_byte"), [("h2+tls12", 4), ("h2", 3), ("h3", 2)])
def test_a_server_with_openssl_asks_for_no_other_key_share(
    arm: str, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    asked = parse(arm)
    folders = iter(range(FAR_TRIALS))

    async def trial(bench: Bench) -> PageLoad:
        folder = tmp_path / f"nginx-{next(folders)}"
        folder.mkdir()
        _, address = await bench.open(FAR)
        setup = OriginSetup(tiny, identity, asked, {}, folder, address, 443)
        await origins.find("nginx").start(bench.engine, setup)
        page = await bench.visit(identity, asked.protocol, 443, tls=asked.tls_version)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, tmp_path, [trial] * FAR_TRIALS))

    assert {page.round_trips for page in pages} == {first_byte}
    assert None not in {page.connections[0].key_exchange for page in pages}
    assert first_byte <= fewest_round_trips(pages) < first_byte + 0.3
