"""On an idle path of 50 ms, connection, TLS and first byte take the round trips that the protocols need."""

import asyncio
import statistics
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model.trial import PageLoad

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
