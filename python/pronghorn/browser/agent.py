"""The program inside the client's host: starts a browser, says that it is ready, does what it is told.

`python -m pronghorn.browser.agent`, in a folder that holds the job and the socket; what goes wrong before the
socket stands is on stderr."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pronghorn.browser.browser import Browser
from pronghorn.browser.job import LINE_LIMIT, SOCKET, Failed, Job


async def serve(folder: Path) -> None:
    """Until the session closes the socket or says `close`."""
    reader, writer = await asyncio.open_unix_connection(folder / SOCKET, limit=LINE_LIMIT)
    async with contextlib.AsyncExitStack() as stack:
        browser: Browser | None = None

        async def opened() -> dict[str, Any]:
            nonlocal browser
            browser = await stack.enter_async_context(Browser.open(Job.read(folder), folder))
            return await browser.about()

        writer.write(await _answer(opened))
        while browser is not None and (line := await reader.readline()):
            done = json.loads(line)["do"]
            acts: dict[str, Callable[[], Awaitable[Any]]] = {
                "prepare": browser.prepare,
                "load": browser.load,
                "close": browser.close,
            }
            writer.write(await _answer(acts[done]))
            await writer.drain()
            if done == "close":
                break
        await writer.drain()
        writer.close()


async def _answer(act: Callable[[], Awaitable[Any]]) -> bytes:
    try:
        message: dict[str, Any] = {"ok": await act()}
    except Failed as failure:
        message = {"failed": {"reason": failure.reason, "detail": str(failure)}}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    asyncio.run(serve(Path()))
