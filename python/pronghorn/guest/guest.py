"""An engine in a guest: started, spoken to over a terminal of its own, ended.

The guest reads a line by a call that stops all of it, so that it needs no CPU and its clock stands still
while it isn't asked (`crates/engine/src/guest.rs`)."""

import asyncio
import contextlib
import datetime
import hashlib
import json
import os
import tty
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pronghorn.engine import PATIENCE_S, Engine, EngineDied
from pronghorn.environment import passed_on
from pronghorn.guest import machine
from pronghorn.guest.kernels import Kernel

_MOST_PATIENCE_S = 1800.0
"""The least time to wait for a guest's answer."""

_TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
_LINE_LIMIT = 64 * 2**20


class Guest(Engine):
    """An engine in a guest of its own."""

    virtual = True

    @classmethod
    async def boot(cls, kernel: Kernel, seed: int, *, starts_ns: int = machine.EPOCH_NS) -> Self:
        """Starts one with `kernel`, whose random numbers follow from `seed` and whose clock starts at
        `starts_ns`, in nanoseconds since 1970; HostError where it can't be run."""
        ours, theirs = os.openpty()
        engine = machine.engine()
        try:
            tty.setraw(theirs)
            try:
                process = await asyncio.create_subprocess_exec(
                    *machine.command(kernel, starts_ns=starts_ns),
                    stdin=theirs,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    limit=_LINE_LIMIT,
                    start_new_session=True,
                    env=machine.environment(kernel, seed),
                    pass_fds=(engine.number,),
                )
            except OSError as error:
                raise machine.not_run(kernel, error) from error
        except BaseException:
            os.close(ours)
            os.close(theirs)
            raise
        try:
            reading, answers, requests = await _streams(ours)
        except BaseException:
            process.kill()
            os.close(theirs)
            # Waited for, since asyncio complains of a process that it loses sight of.
            await process.wait()
            raise
        guest = cls(process, answers, requests)
        guest._theirs, guest._reading = theirs, reading
        guest._end = asyncio.create_task(guest._tell_end())
        try:
            await guest._begin()
        except BaseException:
            await guest.stop()
            raise
        return guest

    _theirs: int
    _reading: asyncio.BaseTransport
    _end: asyncio.Task[None]

    async def request(self, op: str, *, patience_s: float = PATIENCE_S, **parameters: Any) -> dict[str, Any]:
        """As of any engine. What takes a guest long by our clock is a matter of the CPU that it gets: a trial
        must not depend on that, so only a guest that never answers is given up."""
        return await super().request(op, patience_s=max(patience_s, _MOST_PATIENCE_S), **parameters)

    async def let_pass(self, seconds: float) -> None:
        """Lets that much of the guest's time pass."""
        await self.request("idle", for_s=seconds)

    def cpu_s(self) -> float | None:
        """The CPU time of the guest so far, of its kernel and all that runs in it, in seconds."""
        return sum(_used(self._process.pid), start=0.0)

    async def stop(self) -> None:
        """Ends the guest at once: what it has written is on the machine's disk with each answer."""
        self.kill()
        await super().stop()
        await self._end
        os.close(self._theirs)

    async def _tell_end(self) -> None:
        """A guest that has ended answers no more: the terminal itself, which is held here too, doesn't
        tell."""
        await self._process.wait()
        self._reading.close()

    async def _begin(self) -> None:
        """Tells it how programs are to be started."""
        boot = {"environment": machine.inside(passed_on()), "directory": str(Path.cwd())}
        requests = self._requests
        if requests is None:
            raise EngineDied("the guest has no terminal")
        requests.write(json.dumps(boot).encode() + b"\n")
        with contextlib.suppress(OSError):
            await requests.drain()


class Guests:
    """Engines in guests of one kernel, each trial's in its own."""

    virtual = True
    starts_at = datetime.datetime.fromtimestamp(machine.EPOCH_NS / 10**9, datetime.UTC)

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def noted(self) -> Mapping[str, str]:
        """Its kernel, and whether its random numbers are settled."""
        settled = "by the seed" if self.kernel.random else "by chance"
        program = hashlib.sha256(self.kernel.program.read_bytes()).hexdigest()
        return {
            "kernel": self.kernel.version,
            "release": self.kernel.release,
            "program": program,
            "random_numbers": settled,
            "configuration": "today's" if self.kernel.is_current else "an earlier one's",
        }

    async def start(self, seed: int) -> Engine:
        """Boots one."""
        return await Guest.boot(self.kernel, seed)


async def _streams(
    terminal: int,
) -> tuple[asyncio.BaseTransport, asyncio.StreamReader, asyncio.StreamWriter]:
    """The two directions of a terminal, and what reads it."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    written = os.fdopen(os.dup(terminal), "wb", buffering=0)
    transport, _ = await loop.connect_write_pipe(lambda: asyncio.streams.FlowControlMixin(loop), written)
    reading, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(terminal, "rb", buffering=0))
    return (
        reading,
        reader,
        asyncio.StreamWriter(transport, asyncio.StreamReaderProtocol(reader), reader, loop),
    )


def _used(pid: int) -> Iterator[float]:
    """The CPU time of a process, of its children that ended and of those that run, in seconds."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    yield sum(int(field) for field in fields[11:15]) * _TICKS_S
    for child in children:
        yield from _used(int(child))
