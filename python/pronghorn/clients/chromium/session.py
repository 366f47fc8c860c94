"""A session with the agent inside the client's host: its start, its orders, its end."""

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import pronghorn
from pronghorn.browser.job import LINE_LIMIT, SOCKET, Job
from pronghorn.clients.base import ClientFailed, Visit
from pronghorn.clients.chromium import round_trips
from pronghorn.engine import Engine, EngineError
from pronghorn.environment import absolute, passed_on
from pronghorn.model import bounds, foreign
from pronghorn.model.trial import PageLoad
from pronghorn.origins.process import last_lines

_REASON = "browser"
_START_S = 60.0
_GRACE_S = 30.0
"""How much longer than its limit a load may take before the agent itself is stopped. The agent notices and
reports a browser that hangs."""
_POLL_S = 0.25
_STDERR = "agent.err"
_KILL = 9
_WANTED_BY_BROWSERS = ("FONTCONFIG_FILE", "FONTCONFIG_PATH", "PLAYWRIGHT_NODEJS_PATH", "XDG_RUNTIME_DIR")


async def start(engine: Engine, visit: Visit, job: Job) -> "ChromiumSession":
    """Starts the agent on the client's host, and with it the browser; ClientFailed where it does not come
    up."""
    job.write(visit.folder)
    session = ChromiumSession(engine, visit)
    await session.open()
    return session


class ChromiumSession:
    """The agent of one visit; it ends with the bench at the latest."""

    def __init__(self, engine: Engine, visit: Visit) -> None:
        self._engine = engine
        self._visit = visit
        self._process: int | None = None
        self._fresh = True
        self._peer: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.get_running_loop().create_future()
        )

    async def open(self) -> None:
        """Starts the agent and waits until its browser stands."""
        folder = self._visit.folder
        # Through the descriptor, for a socket's path is at most 107 bytes long (unix(7)).
        descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            server = await asyncio.start_unix_server(
                self._connected, f"/proc/self/fd/{descriptor}/{SOCKET}", limit=LINE_LIMIT
            )
        finally:
            os.close(descriptor)
        try:
            ok = await self._engine.request(
                "spawn",
                host="client",
                argv=[sys.executable, "-P", "-m", "pronghorn.browser.agent"],
                env=passed_on(_WANTED_BY_BROWSERS) | _environment(folder),
                inherit=False,
                stdout=None,
                stderr=str(folder / _STDERR),
                directory=str(folder),
                **({"resolver": True} if self._visit.dns else {}),
            )
            self._process = int(ok["process"])
            await self._until_connected()
        finally:
            server.close()
        await self._answer(_START_S)

    async def prepare(self) -> None:
        """The unmeasured visit, after which all connections are closed."""
        await self._ask("prepare", self._visit.limit_s + _GRACE_S)

    async def load(self) -> PageLoad:
        """One measured navigation from an empty page."""
        told = await self._ask("load", self._visit.limit_s + _GRACE_S)
        try:
            page = PageLoad.model_validate(told)
        except ValidationError as error:
            raise ClientFailed(
                _REASON, f"the browser reported an impossible value: {bounds.wrong(error)}"
            ) from None
        bound = round_trips.fewest(self._visit.arm, page, fresh=self._fresh, dns=self._visit.dns)
        self._fresh = False
        return page.model_copy(update={"round_trips": bound})

    async def close(self) -> None:
        """Ends the browser and the agent, by force where they don't go."""
        if self._process is None:
            return
        with contextlib.suppress(ClientFailed):
            await self._ask("close", _GRACE_S)
        await self._kill()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._peer.done():
            self._peer.set_result((reader, writer))

    async def _until_connected(self) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + _START_S
        while not self._peer.done():
            await asyncio.wait((self._peer,), timeout=_POLL_S)
            if self._peer.done():
                return
            ended = await self._engine.request("wait", process=self._process, timeout_s=0)
            if ended["status"] is not None:
                raise self._failed(f"the browser's agent ended with status {ended['status']}")
            if clock() > deadline:
                await self._kill()
                raise self._failed(f"the browser's agent did not start within {_START_S:.0f} s")

    async def _ask(self, order: str, patience_s: float) -> Any:
        if not self._peer.done() or self._process is None:
            raise ClientFailed(_REASON, "the browser's agent has ended")
        _, writer = self._peer.result()
        with contextlib.suppress(ConnectionError):
            writer.write(json.dumps({"do": order}).encode() + b"\n")
            await writer.drain()
        return await self._answer(patience_s)

    async def _answer(self, patience_s: float) -> Any:
        reader, _ = self._peer.result()
        try:
            async with asyncio.timeout(patience_s):
                line = await reader.readline()
        except TimeoutError:
            await self._kill()
            raise self._failed(f"the browser's agent did not answer within {patience_s:.0f} s") from None
        except ConnectionError:
            line = b""
        if not line.endswith(b"\n"):
            await self._kill()
            raise self._failed("the connection to the browser's agent broke")
        try:
            message = foreign.json_table(line)
        except foreign.Malformed as error:
            await self._kill()
            raise self._failed(f"the browser's agent sent an unreadable answer: {error}") from None
        if "failed" in message:
            await self._kill()
            raise self._failed(message["failed"]["detail"], message["failed"]["reason"])
        return message["ok"]

    async def _kill(self) -> None:
        """Ends the agent; its browser goes with its pipe, and both with the bench."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._peer.done():
            self._peer.result()[1].close()
        with contextlib.suppress(EngineError):
            await self._engine.request("kill", process=process, signal=_KILL)

    def _failed(self, detail: str, reason: str = _REASON) -> ClientFailed:
        last = last_lines(self._visit.folder / _STDERR)
        return ClientFailed(reason, f"{detail}; its last words: {last}" if last else detail)


def _environment(folder: Path) -> dict[str, str]:
    """The agent's: this package, and a home of its own, so that nothing of a person's settings is used."""
    package = str(Path(pronghorn.__file__).parents[1])
    return {
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, (package, absolute(os.environ.get("PYTHONPATH", ""))))),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
