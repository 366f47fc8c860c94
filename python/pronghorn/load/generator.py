"""Runs the engine's mode `generate` (docs/engine.md): a spec goes in, progress and the report come
out. Ctrl-C asks it to end early; what was measured by then is reported all the same."""

import asyncio
import contextlib
import json
import signal
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import ValidationError

from pronghorn.engine import EngineDied, EngineError, dead, locate, spawn
from pronghorn.errors import Interrupted
from pronghorn.load.spec import LoadSpec
from pronghorn.model import bounds, foreign
from pronghorn.model.load_report import LoadReport, Progress

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STDERR_LINES = 20
_PATIENCE_S = 5.0
"""The time that an engine gets for its report after it was asked to end."""

_FAREWELL_S = 1.0


class Outcome(NamedTuple):
    """What was measured, the progress that was told on the way, and whether a signal ended it early."""

    report: LoadReport
    series: list[Progress]
    interrupted: bool


def run(spec: LoadSpec, told: Callable[[Progress], None]) -> Outcome:
    """Loads as `spec` says and gives every line of progress to `told`. EngineError where the engine refuses,
    EngineDied where it can't tell, Interrupted where a second signal strikes before it has told."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        return asyncio.run(_run(spec, told))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _run(spec: LoadSpec, told: Callable[[Progress], None]) -> Outcome:
    engine = await spawn(locate(), "generate")
    process = _Generator(engine)
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, process.strike)
    listening = asyncio.create_task(process.listen())
    try:
        await process.ask(spec.to_engine())
        series: list[Progress] = []
        async for line in process.lines():
            if "progress" in line:
                series.append(Progress.model_validate(line["progress"]))
                told(series[-1])
            elif "error" in line:
                said = line["error"]
                raise EngineError(str(said["kind"]), str(said["message"]), said.get("mend"))
            else:
                return Outcome(LoadReport.model_validate(line["report"]), series, process.strikes > 0)
        raise await process.died("ended without a report", listening)
    except ValidationError as fault:
        raise await process.died(f"sent an unreadable report ({bounds.wrong(fault)})", listening) from fault
    except (ValueError, KeyError, TypeError) as fault:
        raise await process.died(f"sent an unreadable report ({fault})", listening) from fault
    finally:
        await process.end()
        listening.cancel()


class _Generator:
    """The engine's process. `strikes`: how many signals have told us to end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self.strikes = 0

    async def ask(self, spec: dict[str, Any]) -> None:
        """Says what is asked for. A process that has ended is noticed where its answer is read."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(spec, separators=(",", ":")).encode() + b"\n")
            await self._process.stdin.drain()
            self._process.stdin.close()

    async def lines(self) -> Any:
        """What it tells, until it ends; after a second strike, or too long after the first, Interrupted."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            yield foreign.json_table(line)
        if self.strikes > 0 and self._process.returncode is None:
            await self._process.wait()
        if self.strikes > 0 and (self._process.returncode or 0) < 0:
            raise Interrupted("interrupted before anything was measured.")

    def strike(self) -> None:
        """The first signal asks it to end and tell; the second, or time, kills it."""
        self.strikes += 1
        if self.strikes > 1:
            self._kill()
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        asyncio.get_running_loop().call_later(_PATIENCE_S, self._kill)

    async def listen(self) -> None:
        """Keeps the last of its stderr."""
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            self._tail.append(line.decode(errors="replace").rstrip())

    async def died(self, what: str, listening: "asyncio.Task[None]") -> EngineDied:
        """The error for an engine that can't tell any more. Its end is waited for first, since killing it
        when it has just ended would lose its status."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _FAREWELL_S)
        self._kill()
        status = await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(listening), _FAREWELL_S)
        return dead(what, status, self._tail)

    async def end(self) -> None:
        """Waits a moment for its end, then kills it."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _FAREWELL_S)
        self._kill()
        await self._process.wait()

    def _kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
