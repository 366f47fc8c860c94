"""Numbered datagrams through a bench, and what became of them."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from pronghorn.model.trial import Counters

from . import links
from .benches import LIMIT_S, Bench, Process, bench, until

PORT = 9000

ECHO = "udp_echo"

STEP = 100
"""So many datagrams are on their way at a time: neither a device's ring nor a socket's buffer overflows with
them, however long a busy host stops whoever empties it."""


class Traffic(NamedTuple):
    """The numbers that the far host got, in the order of arrival, and the path's counters."""

    arrived: list[int]
    counters: Counters


async def send(
    folder: Path, path: links.Path, *, seed: int, count: int, receiver: str = "udp_sink"
) -> Traffic:
    """Sends `count` numbered datagrams up a fresh bench, of which the receiver writes those that it gets.
    They go in steps, each when the last one has settled."""
    folder.mkdir(exist_ok=True)
    async with bench(folder) as one:
        _, server = await one.open(path, seed=seed)
        sink = await one.start("server", receiver, PORT)
        gate = folder / "allowed"
        gate.write_text("0", encoding="utf-8")
        await one.start("client", "udp_source", server, PORT, count, gate)
        for allowed in (*range(STEP, count, STEP), count):
            gate.write_text(str(allowed), encoding="utf-8")
            await _settled(one, sink, allowed, answered=receiver == ECHO)
        return Traffic([int(line) for line in one.lines(sink)], await one.close())


async def _settled(one: Bench, sink: Process, count: int, *, answered: bool) -> None:
    async with asyncio.timeout(LIMIT_S):
        while (up := await one.link("up")).packets_in < count or up.held:
            await asyncio.sleep(0.01)
    # Checksums find every single flipped bit, so what was corrupted does not arrive.
    whole = up.packets_out - up.corrupted
    await until(f"{whole} datagrams arrive", lambda: len(one.lines(sink)) >= whole)
    if not answered:
        return
    async with asyncio.timeout(LIMIT_S):
        while (down := await one.link("down")).packets_in < len(one.lines(sink)) or down.held:
            await asyncio.sleep(0.01)
