"""On an idle path of 100 ms, connection, TLS and first byte take the round trips that the protocols need."""

import asyncio
import statistics
from pathlib import Path

import pytest

from pronghorn import origins
from pronghorn.certificates import Certificates
from pronghorn.model.arm import parse
from pronghorn.model.trial import OriginConnection, PageLoad
from pronghorn.origins import OriginSetup

from .benches import Bench, side_by_side
from .links import both_ways, link

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

ROUND_TRIP_S = 0.100
PATH = both_ways(link(50, rate_mbit=1000))
TRIALS = 20
FEW_TRIALS = 5
SIDE_BY_SIDE = 3


def round_trips(times: list[float | None]) -> list[float]:
    """Times in round trips, none of which may be lacking. What the host's other work does to them is to make
    them longer, so that the shortest tells best what a handshake needs."""
    known = [time / ROUND_TRIP_S for time in times if time is not None]
    assert len(known) == len(times)
    return known


def loads(site: Path, identity: Certificates, protocol: str, number: int, folder: Path) -> list[PageLoad]:
    """So many loads of a site's document, none of which failed."""

    async def trial(bench: Bench) -> PageLoad:
        await bench.open(PATH)
        page = await bench.load(site, identity, protocol)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, folder, [trial] * number, virtual=True))
    assert [page.outcome for page in pages] == ["ok"] * number
    return pages


@pytest.mark.parametrize(
    ("protocol", "connect", "tls", "first_byte"), [("h1", 1, 2, 3), ("h2", 1, 2, 3), ("h3", 1, 1, 2)]
)
def test_handshakes_and_first_byte_take_their_round_trips(
    protocol: str, connect: int, tls: int, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    pages = loads(tiny, identity, protocol, TRIALS, tmp_path)
    assert {resource.protocol for page in pages for resource in page.resources} == {protocol}
    for what, times, least in (
        ("connect", [page.connect_s for page in pages], connect),
        ("TLS", [page.tls_s for page in pages], tls),
        ("first byte", [page.ttfb_s for page in pages], first_byte),
    ):
        taken = round_trips(times)
        assert least <= min(taken) < least + 0.3, what
        assert statistics.median(taken) < least + 1, f"{what}: most take a round trip more"
    assert all(page.load_s is not None and page.load_s >= first_byte * ROUND_TRIP_S for page in pages)


@pytest.mark.parametrize(("protocol", "first_byte", "load"), [("h1", 3, 4), ("h2", 3, 4), ("h3", 2, 3)])
def test_an_answer_that_takes_two_flights_begins_with_the_first(
    protocol: str, first_byte: int, load: int, identity: Certificates, tmp_path: Path
) -> None:
    """Of 15 kB the first flight holds all but the end: what can be read of it depends on no later packet."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text(
        "<!doctype html><title>Two flights</title>".ljust(15_000), encoding="utf-8"
    )

    pages = loads(site, identity, protocol, FEW_TRIALS, tmp_path)
    assert first_byte <= min(round_trips([page.ttfb_s for page in pages])) < first_byte + 0.3
    assert load <= min(round_trips([page.load_s for page in pages])) < load + 0.3


@pytest.mark.parametrize(
    ("protocol", "tls", "session", "first_byte"),
    [
        ("h2", "1.2", "cold", 4),
        ("h2", "1.2", "resumed", 3),
        ("h2", "1.3", "cold", 3),
        ("h2", "1.3", "0rtt", 2),
        ("h3", "1.3", "cold", 2),
        ("h3", "1.3", "resumed", 2),
        ("h3", "1.3", "0rtt", 1),
    ],
)
def test_tls_versions_and_sessions_cost_and_spare_their_round_trips(
    protocol: str, tls: str, session: str, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def trial(bench: Bench) -> PageLoad:
        await bench.open(PATH)
        port = await bench.serve(tiny, identity, early_data=session == "0rtt")
        if session != "cold":
            gained = await bench.visit(identity, protocol, port, tls=tls, session="gain")
            assert gained.connections[0].resumed is False
        page = await bench.visit(identity, protocol, port, tls=tls, session=session)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, tmp_path, [trial] * FEW_TRIALS, virtual=True))

    first = [page.connections[0] for page in pages]
    assert {connection.tls_version for connection in first} == {f"TLS {tls}"}
    assert {connection.resumed for connection in first} == {session != "cold"}
    assert {connection.early_data for connection in first} == {"accepted" if session == "0rtt" else None}
    assert {page.round_trips for page in pages} == {first_byte}
    assert first_byte <= min(round_trips([page.ttfb_s for page in pages])) < first_byte + 0.3


@pytest.mark.parametrize("stack", ["quinn", "s2n"])
def test_the_first_byte_takes_two_round_trips_on_each_stack(
    stack: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def trial(bench: Bench) -> tuple[PageLoad, list[OriginConnection]]:
        await bench.open(both_ways(link(50, rate_mbit=1000)))
        port = await bench.serve(tiny, identity, quic_stack=stack)
        page = await bench.visit(identity, "h3", port, quic_stack=stack)
        told = (await bench.engine.request("origin_log"))["connections"]
        await bench.close()
        return page, [OriginConnection.model_validate(one) for one in told]

    ((page, served),) = asyncio.run(side_by_side(1, tmp_path, [trial], virtual=True))
    assert page.outcome == "ok", page.detail
    for time_s, round_trips in ((page.tls_s, 1), (page.ttfb_s, 2)):
        assert time_s is not None
        assert round_trips <= round(time_s / ROUND_TRIP_S, 2) <= round_trips + 0.02
    for connections in (page.connections, served):
        assert [one.settings["stack"] for one in connections] == [stack]


@pytest.mark.needs("nginx")
@pytest.mark.parametrize(("arm", "first_byte"), [("h2+tls12", 4), ("h2", 3), ("h3", 2)])
def test_a_server_with_openssl_asks_for_no_other_key_share(
    arm: str, first_byte: int, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    asked = parse(arm)
    folders = iter(range(FEW_TRIALS))

    async def trial(bench: Bench) -> PageLoad:
        folder = tmp_path / f"nginx-{next(folders)}"
        folder.mkdir()
        _, address = await bench.open(PATH)
        setup = OriginSetup(tiny, identity, asked, {}, folder, address, 443)
        await origins.find("nginx").start(bench.engine, setup)
        page = await bench.visit(identity, asked.protocol, 443, tls=asked.tls_version)
        await bench.close()
        return page

    pages = asyncio.run(side_by_side(SIDE_BY_SIDE, tmp_path, [trial] * FEW_TRIALS, virtual=True))

    assert {page.round_trips for page in pages} == {first_byte}
    assert None not in {page.connections[0].key_exchange for page in pages}
    assert first_byte <= min(round_trips([page.ttfb_s for page in pages])) < first_byte + 0.3
