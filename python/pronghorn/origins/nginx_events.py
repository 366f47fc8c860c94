"""What can be done to a running nginx: reloaded, restarted, or robbed of a worker."""

import asyncio
import os
import signal
import time
from pathlib import Path

from pronghorn.model.events import KILL_WORKER, RESTART
from pronghorn.origins.base import OriginFailed
from pronghorn.origins.events import Restartable, until, workers

_BUSY_S = 0.2
_LOOKS = 20
_SWITCHES = "voluntary_ctxt_switches:"


async def perform(server: Restartable, do: str) -> float:
    """Does one of `model.events.ACTIONS`, and returns when the workers that take new connections are there,
    with the time at which it began; OriginFailed where it can't be done."""
    if do == RESTART:
        return await server.restart(signal.SIGQUIT)
    victim = await _busy(server) if do == KILL_WORKER else None
    before = workers(server.process)
    began_s = time.monotonic()
    if victim is None:
        await server.process.signal(signal.SIGHUP)
        await until(lambda: bool(workers(server.process) - before), "nginx has no new workers after SIGHUP")
    else:
        os.kill(victim, signal.SIGKILL)
        await until(lambda: bool(workers(server.process) - before), "nginx has not replaced a killed worker")
    return began_s


async def _busy(server: Restartable) -> int:
    """The worker that wakes most often, so that it surely has connections with requests."""
    for _ in range(_LOOKS):
        before = {number: _switches(number) for number in workers(server.process)}
        await asyncio.sleep(_BUSY_S)
        woke = {number: _switches(number) - before[number] for number in before}
        busiest = max(woke, key=lambda number: woke[number], default=0)
        if woke.get(busiest, 0) > 1:
            return busiest
    raise OriginFailed("no worker of nginx was busy, so none was killed")


def _switches(number: int) -> int:
    """How often a process waited for something; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{number}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(_SWITCHES)), 0)
