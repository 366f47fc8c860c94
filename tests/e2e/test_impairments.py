"""What the path says it did to real datagrams is what was asked of it, and what the receiver saw."""

import asyncio
from pathlib import Path

import pytest

from pronghorn.model.trial import LinkCounters

from .binomial import assert_as_asked
from .links import link
from .traffic import ECHO, Traffic, send

pytestmark = pytest.mark.needs("namespaces")

COUNT = 10_000
LOSS, DUPLICATE, CORRUPT = 0.15, 0.10, 0.05


def through(folder: Path, *, seed: int, receiver: str = "udp_sink", down_loss: float = 0.0) -> Traffic:
    up = link(1, loss=LOSS, duplicate=DUPLICATE, corrupt=CORRUPT)
    path = {"up": up, "down": link(1, loss=down_loss)}
    return asyncio.run(send(folder, path, seed=seed, count=COUNT, receiver=receiver))


def up_of(traffic: Traffic) -> LinkCounters:
    assert traffic.counters.up is not None
    return traffic.counters.up


def balanced(one: LinkCounters) -> bool:
    return one.packets_in + one.duplicated == one.packets_out + one.lost + one.queue_dropped + one.held


def test_loss_duplication_and_corruption_are_as_asked(tmp_path: Path) -> None:
    traffic = through(tmp_path, seed=20)
    up = up_of(traffic)

    assert up.packets_in == COUNT
    assert up.ring_dropped == 0
    assert balanced(up)
    assert_as_asked("duplicated", up.duplicated, COUNT, DUPLICATE)
    # As in netem, a copy whose original was not lost enters anew, and may be lost itself.
    assert_as_asked("corrupted", up.corrupted, up.packets_out, CORRUPT)
    undelivered = COUNT - len(set(traffic.arrived))
    # Lost and not duplicated; else corrupted, in one copy or in the two of which both are.
    copies = {
        0: LOSS * (1 - DUPLICATE),
        1: (1 - LOSS) * (1 - DUPLICATE) + DUPLICATE * (LOSS + (1 - LOSS) * LOSS),
        2: DUPLICATE * (1 - LOSS) ** 2,
    }
    none_whole = sum(share * CORRUPT**number for number, share in copies.items())
    assert_as_asked("undelivered", undelivered, COUNT, none_whole)


def test_the_receiver_gets_what_the_path_let_out(tmp_path: Path) -> None:
    traffic = through(tmp_path, seed=21)
    up = up_of(traffic)

    assert traffic.counters.host is not None
    assert traffic.counters.host.udp_receive_buffer_drops["server"] == 0
    assert len(traffic.arrived) == up.packets_out - up.corrupted


def test_an_echo_suffers_both_links_each_as_asked(tmp_path: Path) -> None:
    traffic = through(tmp_path, seed=22, receiver=ECHO, down_loss=0.05)
    down = traffic.counters.down

    assert down is not None
    assert down.packets_in == len(traffic.arrived)
    assert_as_asked("lost on the way back", down.lost, down.packets_in, 0.05)
    assert (down.duplicated, down.corrupted) == (0, 0)


def test_the_same_seed_decides_the_same_packet_by_packet(tmp_path: Path) -> None:
    async def all_three() -> list[Traffic]:
        up = link(1, loss=LOSS, duplicate=DUPLICATE, corrupt=CORRUPT)
        path = {"up": up, "down": link(1)}
        runs = (("first", 5), ("again", 5), ("other", 6))
        return await asyncio.gather(
            *(send(tmp_path / name, path, seed=seed, count=2000) for name, seed in runs)
        )

    first, again, other = asyncio.run(all_three())

    assert first.arrived == again.arrived
    assert first.arrived != other.arrived
    for counted in ("lost", "duplicated", "corrupted", "packets_out"):
        assert getattr(up_of(first), counted) == getattr(up_of(again), counted), counted


def test_bursts_of_loss_are_the_seeds_too(tmp_path: Path) -> None:
    async def both() -> list[Traffic]:
        loss = {"model": "gilbert-elliott", "enter": 0.02, "leave": 0.2, "loss_bad": 1.0, "loss_good": 0.0}
        path = {"up": link(1) | {"loss": loss}, "down": link(1)}
        return await asyncio.gather(
            *(send(tmp_path / name, path, seed=9, count=2000) for name in ("one", "two"))
        )

    one, two = asyncio.run(both())

    assert one.arrived == two.arrived
    assert up_of(one).lost > 0
