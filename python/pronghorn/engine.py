"""The client of `pronghorn-engine`: one process, JSON a line each way, as docs/engine-protocol.md describes
it."""

import asyncio
import contextlib
import datetime
import json
import os
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pronghorn.errors import EXIT_BUG, HostError, PronghornError
from pronghorn.model import bounds, foreign

PROGRAM = "pronghorn-engine"
OVERRIDE = "PRONGHORN_ENGINE"

_LINE_LIMIT = 64 * 2**20
_MOST_ENTRIES = 10**7
_STDERR_LINES = 40
PATIENCE_S = 60.0
"""The default time to wait for an answer, in seconds."""
_FAREWELL_S = 1.0


class EngineError(PronghornError):
    """The engine answered with an error; `kind` is `input`, `host` or `bench`. Of a path that can't be, `key`
    is what is wrong with its PathSpec and `line` where in the text that stands there."""

    def __init__(
        self, kind: str, message: str, mend: str | None, *, key: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, hint=mend)
        self.kind = kind
        self.key = key
        self.line = line


class EngineDied(HostError):
    """The engine ended, fell silent or spoke no JSON; the message ends with the last of its stderr."""


def dead(what: str, status: int, tail: Iterable[str]) -> EngineDied:
    """The error for an engine that did `what` and ended with `status`, with the last lines of its stderr. One
    that found itself broken says so by its status, which is the program's then as well."""
    last = "\n".join(tail)
    said = f"; its last words:\n{last}" if last else "; it wrote nothing"
    if status == EXIT_BUG:
        hint = "Server, client and path are not the cause. Report it with this message."
        return EngineDied(f"a bug in the engine itself: it {what}{said}", hint=hint, exit_status=EXIT_BUG)
    return EngineDied(f"the engine {what} (exit status {status}){said}", hint="Run 'pronghorn doctor'.")


class Hello(BaseModel):
    """What the engine says of itself and of this host."""

    model_config = ConfigDict(extra="ignore")

    version: str = "unknown"
    isolation: str = "none"
    isolation_reason: str | None = None
    mend: str | None = None
    congestion_controls: list[str] = []
    libraries: dict[str, str] = {}


Record = TypeVar("Record", bound=BaseModel)


def record(kind: type[Record], answer: Any) -> Record:
    """An answer, or a part of one, as a record; EngineError where it is not as the protocol says."""
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        what = f"the engine's answer does not match its protocol: {bounds.wrong(error)}"
        raise EngineError("bench", what, None) from error


def locate() -> Path:
    """The engine's program: as PRONGHORN_ENGINE says, beside this Python, or on PATH; HostError where it is
    nowhere."""
    override = os.environ.get(OVERRIDE)
    if override:
        if os.access(override, os.X_OK) and Path(override).is_file():
            return Path(override).absolute()
        raise HostError(
            f"{OVERRIDE}={override}: no program there.", hint=f"Unset {OVERRIDE} or name the engine's file."
        )
    beside = Path(sys.executable).parent / PROGRAM
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(PROGRAM)
    if found is None:
        raise HostError(
            f"{PROGRAM} is not beside {sys.executable} and not on PATH.",
            hint="Build it with 'make build', or install the package with 'pip install .'.",
        )
    return Path(found).absolute()


async def spawn(program: Path, *arguments: str) -> asyncio.subprocess.Process:
    """Starts the engine's program with pipes; HostError where it can't be run.

    It is its own process group, so that the terminal's Ctrl-C reaches us alone and we end it in order."""
    try:
        return await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LINE_LIMIT,
            start_new_session=True,
        )
    except OSError as error:
        raise HostError(
            f"{program}: can't be run: {error.strerror}.", hint="Rebuild it with 'make build'."
        ) from error


class Engine:
    """A running engine. It holds at most one bench; requests are answered in order, one at a time."""

    virtual = False
    """Whether its clock is virtual: no time passes there while it isn't asked."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        answers: asyncio.StreamReader | None = None,
        requests: asyncio.StreamWriter | None = None,
    ) -> None:
        """Of `process`, which is spoken to over its stdin and stdout unless over other streams."""
        self._process = process
        self._answers = answers or process.stdout
        self._requests = requests or process.stdin
        self._number = 0
        self._tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, program: Path | None = None) -> Self:
        """Starts an engine; HostError where there is none or it can't be run.

        Call this from the main thread: the engine dies with the thread that made it (prctl(2),
        PR_SET_PDEATHSIG)."""
        return cls(await spawn(program or locate()))

    @property
    def pid(self) -> int:
        """The engine's process."""
        return self._process.pid

    async def request(self, op: str, *, patience_s: float = PATIENCE_S, **parameters: Any) -> dict[str, Any]:
        """The `ok` of one request. EngineError where the engine refuses, EngineDied where it can't answer in
        time."""
        self._number += 1
        line = json.dumps({"id": self._number, "op": op, **parameters}, separators=(",", ":"))
        requests, answers = self._requests, self._answers
        if requests is None or answers is None:
            raise EngineDied("the engine has no pipes")
        try:
            async with asyncio.timeout(patience_s):
                requests.write(line.encode() + b"\n")
                await requests.drain()
                answer = await answers.readline()
        except TimeoutError:
            raise await self._died(f"did not answer '{op}' within {patience_s:.0f} s", hangs=True) from None
        except (OSError, ValueError) as error:
            raise await self._died(f"closed the connection at '{op}' ({error})") from error
        if not answer.endswith(b"\n"):
            raise await self._died(f"ended at '{op}'")
        try:
            message = foreign.json_table(answer, most_items=_MOST_ENTRIES)
            if "ended" in message:
                raise await self._died(f"ended at '{op}'", status=int(message["ended"]))
            if message["id"] != self._number:
                raise ValueError("an answer to another request")
            if "error" not in message:
                return dict(message["ok"] or {})
            said = message["error"]
            refusal = EngineError(
                str(said["kind"]),
                str(said["message"]),
                said.get("mend"),
                key=said.get("key"),
                line=said.get("line"),
            )
        except (ValueError, KeyError, TypeError) as fault:
            raise await self._died(f"gave no valid answer to '{op}' ({fault})") from fault
        raise refusal

    async def hello(self) -> Hello:
        """What the engine says of itself and of this host."""
        return record(Hello, await self.request("hello"))

    async def let_pass(self, seconds: float) -> None:
        """Lets that much of the engine's time pass."""
        await asyncio.sleep(seconds)

    def cpu_s(self) -> float | None:
        """The CPU time of the whole engine so far, in seconds, where it is one with what it measures: a
        guest's. None of any other."""
        return None

    async def stop(self) -> None:
        """Ends the engine: closes its stdin, and kills it where it does not go within a second."""
        if self._requests is not None:
            with contextlib.suppress(OSError):
                self._requests.close()
        try:
            async with asyncio.timeout(_FAREWELL_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()
        finally:
            self.kill()
            # What a guest started may hold its stderr a moment longer. asyncio complains of processes whose
            # pipes are open when its loop ends.
            await asyncio.wait({self._listener}, timeout=_FAREWELL_S)
            self._listener.cancel()

    def kill(self) -> None:
        """Ends the engine at once; its namespaces, devices and processes go with it."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _died(self, what: str, *, hangs: bool = False, status: int | None = None) -> EngineDied:
        """An engine that doesn't hang may have just ended: killing it would lose its status. A guest tells
        that of its engine by itself."""
        if not hangs:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await self._process.wait()
        self.kill()
        ended = await self._process.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await self._listener
        return dead(what, ended if status is None else status, self._tail)

    async def _listen(self) -> None:
        if self._process.stderr is None:
            return
        while line := await self._process.stderr.readline():
            self._tail.append(line.decode(errors="replace").rstrip())


class Engines(Protocol):
    """Where engines come from, and so which clock they have."""

    @property
    def virtual(self) -> bool:
        """Whether their clock is virtual."""
        ...

    @property
    def starts_at(self) -> datetime.datetime | None:
        """When their clock starts; None: it is this machine's."""
        ...

    def noted(self) -> Mapping[str, str]:
        """What a run's manifest tells of them beside what they say themselves."""
        ...

    async def start(self, seed: int) -> Engine:
        """Starts one; `seed` settles the random numbers of a guest. HostError where it can't be."""
        ...


class _Here:
    """Engines on this machine, in real time, whose random numbers are the machine's."""

    virtual = False
    starts_at = None

    def noted(self) -> Mapping[str, str]:
        return {}

    async def start(self, seed: int) -> Engine:  # noqa: ARG002
        return await Engine.start()


HERE: Engines = _Here()
