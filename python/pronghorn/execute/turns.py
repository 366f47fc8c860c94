"""Turns: what side by side would hold up each other begins one at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable


@contextlib.asynccontextmanager
async def beginning(turn: asyncio.Lock | None, lasts_s: float) -> AsyncIterator[Callable[[], None]]:
    """Holds `turn` while what is done within begins: from here until `lasts_s` seconds after what it gives is
    called, or until all of it ends."""
    if turn is None:
        yield lambda: None
        return
    await turn.acquire()
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as timer, contextlib.ExitStack() as held:
        held.callback(turn.release)

        def begins() -> None:
            timer.callback(loop.call_later(lasts_s, held.close).cancel)

        yield begins
