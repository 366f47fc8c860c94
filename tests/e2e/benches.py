"""Benches as the tests use them: the engine's protocol, foreign programs in the hosts, page loads."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import Engine
from pronghorn.guest import kernels
from pronghorn.guest.guest import Guest
from pronghorn.model.trial import Counters, LinkCounters, PageLoad

from . import links

PROGRAMS = Path(__file__).with_name("programs")

LIMIT_S = 60.0
"""How long anything here may take before it counts as stuck."""

CONTROLS = {"tcp": "cubic", "quic": "cubic"}

Result = TypeVar("Result")


class Process(NamedTuple):
    """A program that runs in a host, and the file that takes its stdout."""

    number: int
    stdout: Path


class Bench:
    """An engine and the bench that it holds; `folder` takes what the programs inside write."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self._folder = folder
        self._started = 0

    async def open(
        self,
        path: links.Path,
        *,
        seed: int = 1,
        congestion_control: str = "cubic",
        capture: Path | None = None,
        arrivals: Path | None = None,
        warm_up: bool = False,
        flight_interval_s: float | None = None,
        tcp: Mapping[str, Any] | None = None,
    ) -> tuple[str, str]:
        """Opens a bench; the addresses of client and server."""
        ok = await self.engine.request(
            "open",
            path=path,
            seed=seed,
            tcp_congestion_control=congestion_control,
            capture=str(capture) if capture else None,
            arrivals=str(arrivals) if arrivals else None,
            warm_up=warm_up,
            flight={"interval_s": flight_interval_s} if flight_interval_s else None,
            tcp=tcp,
        )
        return ok["client_address"], ok["server_address"]

    async def begin(self, seed: int) -> dict[str, int]:
        """Ends the warm-up, or begins anew; how many packets had entered each link before."""
        ok = await self.engine.request("begin", seed=seed)
        return dict(ok["packets_before"])

    async def flight(self) -> dict[str, Any]:
        """What the connections have done over time."""
        return await self.engine.request("flight")

    async def close(self) -> Counters:
        """Closes the bench; its final counters."""
        return Counters.model_validate(await self.engine.request("close"))

    async def counters(self) -> Counters:
        """What the path has counted so far."""
        return Counters.model_validate(await self.engine.request("counters"))

    async def link(self, direction: str) -> LinkCounters:
        """What one link has counted so far."""
        found = getattr(await self.counters(), direction)
        assert isinstance(found, LinkCounters)
        return found

    async def start(self, host: str, program: str, *arguments: object) -> Process:
        """Starts one of `programs/` on a host, and waits until it has written its first line."""
        self._started += 1
        stdout = self._folder / f"{program}-{self._started}.out"
        stderr = stdout.with_suffix(".err")
        argv = [sys.executable, "-I", "-S", str(PROGRAMS / f"{program}.py"), *map(str, arguments)]
        ok = await self.engine.request(
            "spawn", host=host, argv=argv, env={}, stdout=str(stdout), stderr=str(stderr)
        )
        process = Process(ok["process"], stdout)
        await until(
            f"{program} is ready",
            lambda: stdout.exists() and b"\n" in stdout.read_bytes(),
            stderr,
            self.engine.let_pass,
        )
        return process

    async def finish(self, process: Process, *, limit_s: float = LIMIT_S) -> list[str]:
        """Waits for a program to end well; the lines that it wrote after its first."""
        ok = await self.engine.request(
            "wait", process=process.number, timeout_s=limit_s, patience_s=limit_s + 10
        )
        assert ok["status"] == 0, f"{process.stdout.name}: {process.stdout.with_suffix('.err').read_text()}"
        return self.lines(process)

    def lines(self, process: Process) -> list[str]:
        """The whole lines that a program has written so far after its first."""
        return process.stdout.read_text(encoding="utf-8").split("\n")[1:-1]

    async def load(self, root: Path, certificates: Certificates, protocol: str, **options: Any) -> PageLoad:
        """Starts an origin that serves the folder `root` and navigates to its `/`; `options`: the load's."""
        port = await self.serve(root, certificates)
        return await self.visit(certificates, protocol, port, **options)

    async def serve(self, root: Path, certificates: Certificates, **options: Any) -> int:
        """Starts an origin that serves the folder `root`; its port. `options` are the origin's."""
        ok = await self.engine.request(
            "origin",
            root=str(root),
            certificate=str(certificates.chain),
            key=str(certificates.key),
            **{"congestion_control": CONTROLS, **options},
        )
        return int(ok["port"])

    async def visit(self, certificates: Certificates, protocol: str, port: int, **options: Any) -> PageLoad:
        """Navigates to the origin's `/`; `options` are the load's."""
        page = await self.engine.request(
            "load",
            patience_s=LIMIT_S + 10,
            **{
                "host_name": HOST_NAME,
                "document": "/",
                "port": port,
                "protocol": protocol,
                "ca": str(certificates.authority),
                "congestion_control": CONTROLS,
                "limit_s": LIMIT_S,
                **options,
            },
        )
        return PageLoad.model_validate(page)


@asynccontextmanager
async def bench(folder: Path, *, virtual: bool = False) -> AsyncIterator[Bench]:
    """An engine without a bench yet, `virtual` in a guest whose clock starts now; it ends with the block."""
    if virtual:
        engine: Engine = await Guest.boot(kernels.need(), 1, starts_ns=time.time_ns())
    else:
        engine = await Engine.start()
    try:
        yield Bench(engine, folder)
    finally:
        await engine.stop()


async def side_by_side(
    lanes: int,
    folder: Path,
    work: Sequence[Callable[[Bench], Awaitable[Result]]],
    *,
    virtual: bool = False,
) -> list[Result]:
    """Does each piece of `work` once, on the first of `lanes` engines that is free; the results in order."""
    waiting = list(enumerate(work))
    results: dict[int, Result] = {}

    async def lane(number: int) -> None:
        here = folder / f"lane-{number}"
        here.mkdir()
        async with bench(here, virtual=virtual) as one:
            while waiting:
                index, piece = waiting.pop(0)
                results[index] = await piece(one)

    async with asyncio.TaskGroup() as group:
        for number in range(min(lanes, len(work))):
            group.create_task(lane(number))
    return [results[index] for index in range(len(work))]


async def until(
    what: str,
    holds: Callable[[], Any],
    stderr: Path | None = None,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Waits until something holds, in pauses in which the right clock goes on; fails where it doesn't within
    the limit."""
    try:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                await pause(0.01)
    except TimeoutError:
        said = stderr.read_text(encoding="utf-8") if stderr and stderr.exists() else ""
        raise AssertionError(f"not within {LIMIT_S:.0f} s: {what} {said}") from None
