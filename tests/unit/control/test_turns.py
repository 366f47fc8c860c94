"""What begins one at a time, and for how long."""

import asyncio

from pronghorn.execute import turns


async def _held(turn: asyncio.Lock, holds_s: float, takes_s: float, told: list[str], name: str) -> None:
    async with turns.beginning(turn, holds_s):
        told.append(f"{name} begins")
        await asyncio.sleep(takes_s)
        told.append(f"{name} ends")


def _told(holds_s: float, takes_s: float) -> list[str]:
    told: list[str] = []

    async def both() -> None:
        turn = asyncio.Lock()
        await asyncio.gather(*(_held(turn, holds_s, takes_s, told, name) for name in "ab"))
        assert not turn.locked()

    asyncio.run(both())
    return told


def test_the_next_begins_when_the_beginning_is_over() -> None:
    assert _told(holds_s=0.01, takes_s=2.0) == ["a begins", "b begins", "a ends", "b ends"]


def test_the_next_begins_when_one_that_is_shorter_has_ended() -> None:
    assert _told(holds_s=60.0, takes_s=0.01) == ["a begins", "a ends", "b begins", "b ends"]


def test_nobody_waits_without_a_turn() -> None:
    async def alone() -> None:
        async with turns.beginning(None, 60.0):
            pass

    asyncio.run(alone())
