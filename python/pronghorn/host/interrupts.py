"""Ctrl-C, SIGTERM and SIGHUP: an orderly end with exit status 130, wherever they strike."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from pronghorn.errors import Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Result = TypeVar("Result")


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it, one of these signals raises Interrupted; a signal that was ignored (nohup) stays so."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        _restore(before)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs `work` in an event loop; one of these signals cancels it, and Interrupted is raised when it has
    cleaned up.

    A second signal cuts its cleaning up short.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        return asyncio.run(_watched(work))
    finally:
        _restore(before)


async def _watched(work: Coroutine[Any, Any, Result]) -> Result:
    task = asyncio.ensure_future(work)
    struck = False

    def strike() -> None:
        nonlocal struck
        struck = True
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, strike)
    try:
        return await task
    except asyncio.CancelledError:
        if struck:
            raise Interrupted("interrupted") from None
        raise


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted("interrupted")


def _restore(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
