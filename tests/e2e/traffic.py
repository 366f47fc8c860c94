"""Numbered datagrams through a bench, and what became of them."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from pronghorn.model.trial import Counters

from . import links
from .benches import LIMIT_S, Bench, Process, bench, until

PORT = 9000


class Traffic(NamedTuple):
    """The numbers that the far host got, in the order of arrival, and the path's counters."""

    arrived: list[int]
    counters: Counters


async def send(
    folder: Path, path: links.Path, *, seed: int, count: int, receiver: str = "udp_sink"
) -> Traffic:
    """Sends `count` numbered datagrams up a fresh bench, of which the receiver writes those that it gets."""
    folder.mkdir(exist_ok=True)
    async with bench(folder) as one:
        _, server = await one.open(path, seed=seed)
        sink = await one.start("server", receiver, PORT)
        source = await one.start("client", "udp_source", server, PORT, count)
        await until("all is sent", lambda: one.lines(source))
        await _settled(one, sink, count)
        return Traffic([int(line) for line in one.lines(sink)], await one.close())


async def _settled(one: Bench, sink: Process, count: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while (up := await one.link("up")).packets_in < count or up.held:
            await asyncio.sleep(0.01)
    # Checksums find every single flipped bit, so what was corrupted does not arrive.
    whole = up.packets_out - up.corrupted
    await until(f"{whole} datagrams arrive", lambda: len(one.lines(sink)) >= whole)
