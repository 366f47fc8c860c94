"""A train through a queue behind jitter that keeps the order, in virtual time: what is said of the queue."""

from typing import Literal

import numpy as np
import pytest

from pronghorn.calibration import SHORT_S, asked, bottleneck
from pronghorn.calibration.design import TRAIN_BYTES, Design, design
from pronghorn.calibration.measured import Phase, Probed
from pronghorn.model.path import LinkSpec, PathSpec
from pronghorn.model.path.spec import JitterSpec
from pronghorn.model.trial import LinkCounters

# The profile wifi's way down; a queue of 358 packets of a train.
WIFI = LinkSpec(
    rate_bit_per_s=50_000_000,
    delay_ns=14_000_000,
    queue={"bytes": 512_000},
    jitter=JitterSpec(distribution="paretonormal", spread_ns=3_000_000, order="keep"),
)


def probed(planned: Design, room: int, seed: int) -> Probed:
    """A train's fate where the queue has room for so many packets, the one being sent included."""
    link = planned.down
    train = link.phases[link.train]
    each = asked.wire_s(link.link, link.train_bytes)
    delays = np.random.default_rng(seed).choice(
        asked.delay(link.link, link.train_bytes).quantiles - each, train["packets"]
    )
    sent = np.arange(train["packets"]) * train["gap_ns"] / 1e9
    departures: list[float] = []
    arrivals = []
    for number, entered in enumerate(np.maximum.accumulate(sent + delays)):
        if len(departures) >= room and departures[-room] > entered:
            continue
        departures.append(max(entered, departures[-1] if departures else 0.0) + each)
        arrivals.append((number, round(departures[-1] * 1e9)))
    empty = Phase(sent_ns=[], arrivals=[], settled=True, link=LinkCounters())
    phases = [empty] * link.train
    filled = Phase(
        sent_ns=[round(at * 1e9) for at in sent], arrivals=arrivals, settled=True, link=LinkCounters()
    )
    return Probed(phases=[*phases, filled], damaged=0, receive_buffer_drops=0)


def verdict(room: int, seed: int) -> str:
    planned = design(PathSpec(down=WIFI, up=WIFI), SHORT_S)
    found = {row.quantity: row for row in bottleneck.rows("down", planned.down, probed(planned, room, seed))}
    return found["queue"].verdict


@pytest.mark.parametrize("seed", range(20))
def test_late_packets_that_hold_up_those_behind_them_make_no_queue_longer(seed: int) -> None:
    assert verdict(asked.queue_packets(WIFI, TRAIN_BYTES), seed) == "pass"


@pytest.mark.parametrize("share", [0.8, 1.25])
def test_a_queue_of_another_length_is_told(share: float) -> None:
    assert verdict(round(share * asked.queue_packets(WIFI, TRAIN_BYTES)), seed=1) == "fail"


@pytest.mark.parametrize(("family", "least"), [(None, 20 + 16), (6, 40 + 16)])
def test_a_train_for_a_small_queue_has_packets_that_the_engine_can_send(
    family: Literal[6] | None, least: int
) -> None:
    link = LinkSpec(rate_bit_per_s=1_000_000, queue={"bytes": 120})
    planned = design(PathSpec(down=link, up=link, family=family), SHORT_S)
    assert {train.phases[train.train]["bytes"] for train in (planned.down, planned.up)} == {least}
