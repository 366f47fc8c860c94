"""A host whose CPU others take for a while, as on shared machines: trials wait until it is left alone."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from pronghorn.trust.guard import STEAL_SHARE

WINDOW_S = 1.0
"""The length of one window in which the host is watched."""

CALM_WINDOWS = 3
"""The number of windows in a row in which less CPU time is stolen than a trial tolerates."""

MOST_S = 60.0
"""The longest wait. After it, what can be measured is measured, and the guard judges it."""

SPIN_S = 0.01
"""CPU time used in each window: on a host that needs none, none can be stolen."""

Stolen = Callable[[], tuple[float, float]]
Sleep = Callable[[float], Awaitable[None]]


def stolen() -> tuple[float, float]:
    """The CPU time that others took since the host began, and all that there was, in ticks; zeros where the
    kernel doesn't tell."""
    try:
        line = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return 0.0, 0.0
    ticks = [float(field) for field in line.split()[1:9]]
    return ticks[-1], sum(ticks)


class Calm:
    """Whether trials may begin. `disturbed` after one that others' use of the CPU spoilt."""

    def __init__(
        self, read: Stolen = stolen, sleep: Sleep = asyncio.sleep, *, most_s: float = MOST_S
    ) -> None:
        self._read = read
        self._sleep = sleep
        self._most_s = most_s
        self._disturbed = False
        self._waiting = asyncio.Lock()

    def disturbed(self) -> None:
        """Lets later trials wait."""
        self._disturbed = True

    async def wait(self) -> None:
        """Returns at once where nothing disturbed, else when the host is calm again."""
        async with self._waiting:
            calm, waited_s = 0, 0.0
            while self._disturbed and calm < CALM_WINDOWS and waited_s < self._most_s:
                share = await self._window()
                calm = calm + 1 if share < STEAL_SHARE else 0
                waited_s += WINDOW_S
            self._disturbed = False

    async def _window(self) -> float:
        """The share that was stolen in a window."""
        stolen_before, all_before = self._read()
        _spin()
        await self._sleep(WINDOW_S)
        stolen_after, all_after = self._read()
        passed = all_after - all_before
        return (stolen_after - stolen_before) / passed if passed > 0 else 0.0


def _spin() -> None:
    until = time.thread_time() + SPIN_S
    while time.thread_time() < until:
        pass
