"""Turns: what side by side would hold up each other begins one at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


@contextlib.asynccontextmanager
async def beginning(turn: asyncio.Lock | None, lasts_s: float) -> AsyncIterator[None]:
    """Holds `turn` while what is done within begins: for its first `lasts_s` seconds, or until it ends."""
    if turn is None:
        yield
        return
    await turn.acquire()
    held = contextlib.ExitStack()
    held.callback(turn.release)
    timer = asyncio.get_running_loop().call_later(lasts_s, held.close)
    try:
        yield
    finally:
        timer.cancel()
        held.close()
