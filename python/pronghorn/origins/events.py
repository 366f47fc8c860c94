"""What an origin needs to take an experiment's events, and what servers' processes have in common there."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

from pronghorn.host.cpu_time import Processes
from pronghorn.origins.base import OriginFailed
from pronghorn.origins.process import Process

ENDS_S = 5.0
"""How long a server that is restarted has to end by itself, in seconds: as in the units of systemd that
Debian's nginx and Caddy ship."""

_LOOK_S = 0.01
_DONE_S = 10.0

ONE_PROCESS = "it is one process and has no workers"


@runtime_checkable
class TakesEvents(Protocol):
    """A running origin to which something can be done."""

    async def perform(self, do: str) -> float:
        """Does one of `events.ACTIONS` which its origin doesn't refuse. It returns when that is done,
        and tells when it began, in seconds of CLOCK_MONOTONIC; OriginFailed where it can't be done."""
        ...


class Restartable:
    """A server's process that can be ended and started again; `begin` starts the one of that number."""

    def __init__(self, first: Process, begin: Callable[[int], Awaitable[Process]]) -> None:
        self._begin = begin
        self._spent_s: float | None = 0.0
        self.all = [first]

    @property
    def process(self) -> Process:
        """The present one."""
        return self.all[-1]

    async def restart(self, number: int = signal.SIGTERM) -> float:
        """Ends it by a signal, after `ENDS_S` by SIGKILL, and starts it again; when that began."""
        used_s = self.process.cpu_s()
        began_s = time.monotonic()
        await self.process.end(number, ENDS_S)
        self._spent_s = None if used_s is None or self._spent_s is None else self._spent_s + used_s
        self.all.append(await self._begin(len(self.all) + 1))
        return began_s

    def cpu_s(self) -> float | None:
        """CPU time of all of them and all below them, in seconds; None where that isn't known. What one uses
        while it ends is left out."""
        used_s = self.process.cpu_s()
        return None if used_s is None or self._spent_s is None else self._spent_s + used_s


async def until(condition: Callable[[], bool], otherwise: str) -> None:
    """Returns once the condition holds; OriginFailed with `otherwise` where it doesn't within `_DONE_S`."""
    until_s = time.monotonic() + _DONE_S
    while not condition():
        if time.monotonic() > until_s:
            raise OriginFailed(f"{otherwise} within {_DONE_S:g} s")
        await asyncio.sleep(_LOOK_S)


def workers(process: Process) -> set[int]:
    """The numbers of a process's children in this PID namespace; OriginFailed where they can't be seen."""
    seen = Processes.now()
    if seen is None or process.number_here() is None:
        raise OriginFailed("the server's workers can't be seen in /proc")
    return set(seen.children(process.number_here() or 0))
