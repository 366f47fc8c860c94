"""Physics: the kernel's Reno over a lossy path sends as fast as its model says."""

import asyncio
import math
import statistics
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ..e2e import bulk
from ..e2e.benches import Bench, side_by_side
from ..e2e.links import link

pytestmark = pytest.mark.needs("namespaces")

LOSS = 0.01
DELAY_MS = 25
SEEDS = range(1, 9)
WARMUP_S = 5
MEASURED_S = 60

MARGIN = 0.3
"""The model knows neither SACK, which repairs several losses of a window as one, nor RACK, which spares
time-outs: Linux was 15 to 20 % faster. A flow's mean over a minute strays by 7 %, the mean of eight by 2.5 %,
so that a right path fails this in less than one of ten thousand cases."""


def test_reno_over_one_percent_loss_has_the_throughput_of_its_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flows = asyncio.run(side_by_side(len(SEEDS), tmp_path, [through_loss(seed) for seed in SEEDS]))

    trip = statistics.mean(flow.round_trip_s for flow in flows)
    timeout = statistics.mean(flow.retransmission_timeout_s for flow in flows)
    expected = send_rate(LOSS, trip, timeout)
    rates = [flow.segments / flow.seconds for flow in flows]
    found = statistics.mean(rates)
    with capsys.disabled():
        print(
            f"\nReno, {LOSS:.0%} loss, round trip {trip * 1e3:.1f} ms, time-out {timeout * 1e3:.0f} ms:"
            f" {found:.0f} segments/s ({', '.join(f'{rate:.0f}' for rate in rates)}; {MEASURED_S} s each),"
            f" the model {expected:.0f}, ratio {found / expected:.2f}"
        )
    assert 2 * DELAY_MS <= trip * 1e3 <= 2 * DELAY_MS * 1.1
    assert abs(found / expected - 1) <= MARGIN


def through_loss(seed: int) -> Callable[[Bench], Awaitable[bulk.Flow]]:
    async def one_flow(one: Bench) -> bulk.Flow:
        path = {"down": link(DELAY_MS, loss=LOSS), "up": link(DELAY_MS)}
        client, _ = await one.open(path, seed=seed, congestion_control="reno")
        return await bulk.send(one, client, warmup_s=WARMUP_S, measured_s=MEASURED_S)

    return one_flow


def send_rate(p: float, round_trip_s: float, timeout_s: float, *, b: int = 1) -> float:
    """Segments a second, by the full model without a bound by the receiver's window (Padhye, Firoiu, Towsley,
    Kurose, "Modeling TCP throughput: a simple model and its empirical validation", 1998, section 2.2).

    `p`: the loss; `b`: how many segments an acknowledgement counts for as one, 1 with Linux, whose window
    grows by what is acknowledged."""
    part = (2 + b) / (3 * b)
    window = part + math.sqrt(8 * (1 - p) / (3 * b * p) + part**2)
    timeouts = timeout_share(p, window)
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    sent = (1 - p) / p + window + timeouts / (1 - p)
    return sent / (round_trip_s * (b / 2 * window + 1) + timeouts * timeout_s * backoff / (1 - p))


def timeout_share(p: float, window: float) -> float:
    """The share of loss events, in a window of so many segments, which a time-out ends."""
    kept = 1 - p
    few_duplicates = (1 - kept**3) * (1 + kept**3 * (1 - kept ** (window - 3)))
    return float(min(1.0, few_duplicates / (1 - kept**window)))
