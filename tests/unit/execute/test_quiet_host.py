"""Trials wait while others take the host's CPU."""

import asyncio
from collections.abc import Sequence

import pytest

from pronghorn.execute.quiet_host import CALM_WINDOWS, MOST_S, WINDOW_S, Calm

TICKS = 200.0
"""What a window has on two CPUs."""


class Host:
    """A host of which in each window the next of `shares` is stolen, then nothing."""

    def __init__(self, shares: Sequence[float]) -> None:
        self.shares = list(shares)
        self.windows = 0
        self.told = (0.0, 0.0)

    def read(self) -> tuple[float, float]:
        return self.told

    async def sleep(self, seconds: float) -> None:
        assert seconds == WINDOW_S
        share = self.shares[self.windows] if self.windows < len(self.shares) else 0.0
        self.windows += 1
        self.told = (self.told[0] + share * TICKS, self.told[1] + TICKS)


def waited(shares: Sequence[float], disturbed: bool = True) -> int:
    """How many windows a trial waits."""
    host = Host(shares)
    calm = Calm(host.read, host.sleep)
    if disturbed:
        calm.disturbed()
    asyncio.run(calm.wait())
    return host.windows


def test_nothing_waits_where_nothing_was_disturbed() -> None:
    assert waited([0.5, 0.5], disturbed=False) == 0


@pytest.mark.parametrize(
    ("shares", "windows"),
    [
        ([], CALM_WINDOWS),
        ([0.3, 0.3], 2 + CALM_WINDOWS),
        ([0.3, 0.0, 0.0, 0.3], 4 + CALM_WINDOWS),
        ([0.3] * 1000, MOST_S / WINDOW_S),
    ],
)
def test_it_waits_until_the_host_is_calm_for_a_while_and_no_longer_than_it_may(
    shares: list[float], windows: int
) -> None:
    assert waited(shares) == windows


def test_all_that_wait_wait_once() -> None:
    async def both(calm: Calm) -> None:
        calm.disturbed()
        await asyncio.gather(calm.wait(), calm.wait())
        await calm.wait()

    host = Host([0.3])
    asyncio.run(both(Calm(host.read, host.sleep)))
    assert host.windows == 1 + CALM_WINDOWS


def test_a_kernel_that_does_not_tell_delays_nothing_for_long() -> None:
    async def nothing(_: float) -> None:
        return

    calm = Calm(lambda: (0.0, 0.0), nothing)
    calm.disturbed()
    asyncio.run(calm.wait())
