"""TCP gets of a rate what headers leave, and never more."""

import asyncio
from pathlib import Path

import pytest

from . import bulk
from .benches import bench
from .links import link

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

RATE_MBIT = 20
QUEUE_BYTES = 150_000

DELAYED_ACK_S = 0.2
"""How long a receiver may keep an acknowledgement back (tcp(7); RFC 9293, section 3.8.6.3, allows 0.5 s)."""


def test_a_bulk_flow_fills_the_rate_and_does_not_exceed_it(tmp_path: Path) -> None:
    async def through_rate(folder: Path) -> tuple[bulk.Flow, float]:
        async with bench(folder, virtual=True) as one:
            down = link(5, rate_mbit=RATE_MBIT, queue_bytes=QUEUE_BYTES)
            client, _ = await one.open({"down": down, "up": link(5)})
            flow = await bulk.send(one, client, warmup_s=1, measured_s=4)
            counters = await one.close()
            late = [each.lateness.max_s or 0.0 for each in (counters.down, counters.up) if each]
            return flow, sum(late)

    most = RATE_MBIT * 1e6 * bulk.PAYLOAD_SHARE
    flow, latest_s = asyncio.run(through_rate(tmp_path))
    # What had come before the first look may have been acknowledged only after it.
    assert flow.bytes_acked * 8 <= most * (flow.seconds + latest_s + DELAYED_ACK_S)
    assert flow.goodput_bit_per_s >= 0.9 * most
