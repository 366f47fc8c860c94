"""What begins one at a time, and for how long."""

import asyncio

from pronghorn.execute import turns

from . import virtual_time


async def _held(turn: asyncio.Lock, holds_s: float, takes_s: float, told: list[str], name: str) -> None:
    async with turns.beginning(turn, holds_s) as begins:
        begins()
        told.append(f"{name} begins")
        await asyncio.sleep(takes_s)
        told.append(f"{name} ends")


def _told(holds_s: float, takes_s: float) -> list[str]:
    told: list[str] = []

    async def both() -> None:
        turn = asyncio.Lock()
        await asyncio.gather(*(_held(turn, holds_s, takes_s, told, name) for name in "ab"))
        assert not turn.locked()

    virtual_time.run(both())
    return told


def test_the_next_begins_when_the_beginning_is_over() -> None:
    assert _told(holds_s=0.01, takes_s=2.0) == ["a begins", "b begins", "a ends", "b ends"]


def test_the_next_begins_when_one_that_is_shorter_has_ended() -> None:
    assert _told(holds_s=60.0, takes_s=0.01) == ["a begins", "a ends", "b begins", "b ends"]


def test_what_is_made_ready_first_takes_none_of_the_time() -> None:
    told: list[str] = []

    async def slowly(turn: asyncio.Lock) -> None:
        async with turns.beginning(turn, 0.01) as begins:
            await asyncio.sleep(0.2)
            told.append("a is ready")
            begins()
            await asyncio.sleep(2.0)
            told.append("a ends")

    async def both() -> None:
        turn = asyncio.Lock()
        await asyncio.gather(slowly(turn), _held(turn, 0.01, 0.0, told, "b"))

    virtual_time.run(both())
    assert told == ["a is ready", "b begins", "b ends", "a ends"]


def test_nobody_waits_without_a_turn() -> None:
    async def alone() -> None:
        async with turns.beginning(None, 60.0) as begins:
            begins()

    virtual_time.run(alone())
