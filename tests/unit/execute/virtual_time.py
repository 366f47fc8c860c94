"""An event loop whose time is the program's own: waiting takes none, and nothing depends on the host's."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Selector(selectors.SelectSelector):
    """Where nothing is ready, the time that would be waited has passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing would ever happen"
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._own = _Selector()
        super().__init__(self._own)

    def time(self) -> float:
        return self._own.now


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """As asyncio.run, from time 0 on."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
