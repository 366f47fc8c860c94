"""The DevTools sessions of what runs beside a page in processes or threads of its own: workers, service
workers, frames of other sites."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from pronghorn.browser.events import Events

_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": False}
"""Sessions within a session, one message in another, since Playwright hands out sessions of pages alone."""

_BEGIN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
    ("Target.setAutoAttach", _ATTACH),
    ("Runtime.runIfWaitingForDebugger", {}),
)

Send = Callable[[str, dict[str, Any]], Awaitable[Any]]


class Targets:
    """Listens to all that a page starts, and to what that starts."""

    def __init__(self, session: CDPSession, events: Events) -> None:
        self._session = session
        self._events = events
        self._sending: set[asyncio.Task[Any]] = set()
        self._within = _Within(self, session.send)
        session.on("Target.attachedToTarget", self._within.attached)
        session.on("Target.receivedMessageFromTarget", self._within.received)

    async def listen(self) -> None:
        """From now on."""
        await self._session.send("Target.setAutoAttach", _ATTACH)

    def heard(self, name: str, event: dict[str, Any], target: str) -> None:
        """Passes on what a target says."""
        self._events.of_worker(name, event, target)

    def soon(self, sending: Awaitable[Any]) -> None:
        """Sends something whose answer nobody waits for: a target may be gone by then."""

        async def send() -> None:
            try:
                await sending
            except PlaywrightError:
                return

        task = asyncio.ensure_future(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


class _Within:
    """The targets within one session, each with the session's number."""

    def __init__(self, all_of_them: Targets, send: Send) -> None:
        self._all = all_of_them
        self._send = send
        self._targets: dict[str, tuple[str, _Within]] = {}
        self._number = 0

    def attached(self, event: dict[str, Any]) -> None:
        number = event["sessionId"]

        async def send(method: str, parameters: dict[str, Any]) -> Any:
            self._number += 1
            message = json.dumps({"id": self._number, "method": method, "params": parameters})
            return await self._send("Target.sendMessageToTarget", {"sessionId": number, "message": message})

        self._targets[number] = event["targetInfo"]["targetId"], _Within(self._all, send)

        for method, parameters in _BEGIN:
            self._all.soon(send(method, parameters))

    def received(self, event: dict[str, Any]) -> None:
        target, within = self._targets.get(event["sessionId"], (None, None))
        if target is None or within is None:
            return
        message = json.loads(event["message"])
        name, content = message.get("method"), message.get("params", {})
        if name == "Target.attachedToTarget":
            within.attached(content)
        elif name == "Target.receivedMessageFromTarget":
            within.received(content)
        elif name is not None:
            self._all.heard(name, content, target)
