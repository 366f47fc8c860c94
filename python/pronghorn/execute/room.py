"""The room on the host's CPUs that trials side by side have together."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from pronghorn.model.trial import Cell


class Need(NamedTuple):
    """How many cores a trial keeps busy, and whether that is known or its first trial has yet to show it."""

    cores: float
    known: bool = True


class Room:
    """Lets trials in as long as they keep no more than `budget` cores busy, by what each is said to `need`
    at that time; one alone always. A block that has begun goes on before another one begins, so that its
    trials lie close together, and of a cell's trials whose need isn't known one runs at a time."""

    def __init__(self, budget: float, need: Callable[[Cell, str], Need]) -> None:
        self._budget = budget
        self._need = need
        self._inside: dict[int, tuple[Cell, str]] = {}
        self._waiting = 0
        self._changed = asyncio.Event()

    def begins(self, slot: int, cell: Cell, arm: str) -> bool:
        """Whether a block of `cell` may begin in `slot` now, with `arm`, which then is in already."""
        if self._waiting or not self._fits(cell, arm):
            return False
        self._inside[slot] = cell, arm
        return True

    async def enter(self, slot: int, cell: Cell, arm: str) -> None:
        """Waits until the next trial of the block in `slot` may begin, unless it is in already."""
        if slot in self._inside:
            return
        self._waiting += 1
        try:
            while not self._fits(cell, arm):
                await self.changed()
        finally:
            self._waiting -= 1
        self._inside[slot] = cell, arm

    def leave(self, slot: int) -> None:
        """The trial in `slot`, if there is one, is over."""
        if self._inside.pop(slot, None) is not None:
            self._changed.set()
            self._changed = asyncio.Event()

    def changed(self) -> Coroutine[Any, Any, bool]:
        """To wait for: the next trial, from now on, that leaves."""
        return self._changed.wait()

    def _fits(self, cell: Cell, arm: str) -> bool:
        if not self._inside:
            return True
        need = self._need(cell, arm)
        inside = [(of, self._need(of, other)) for of, other in self._inside.values()]
        if not need.known and any(of == cell and not others.known for of, others in inside):
            return False
        return need.cores + sum(others.cores for _, others in inside) <= self._budget
