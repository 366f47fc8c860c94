"""What a browser says of a page, made up by a test."""

from collections.abc import Callable
from typing import Any, cast

from playwright.async_api import CDPSession

from pronghorn.browser.events import Events

URL = "https://origin.test/"
FRAME = "page"


class Told:
    """A DevTools session that tells what a test has it tell, and the events that are made of it."""

    def __init__(self) -> None:
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {}
        self._number = 0
        self.events = Events(cast("CDPSession", self))

    def on(self, name: str, handler: Callable[[dict[str, Any]], None]) -> None:
        """As playwright's."""
        self._handlers[name] = handler

    def tell(self, name: str, **event: Any) -> None:
        """Tells an event."""
        self._handlers[name](event)

    def ask(self, url: str, kind: str = "Fetch", frame: str = FRAME, **more: Any) -> str:
        """A request; the name by which its other events mention it."""
        self._number += 1
        key = str(self._number)
        sent = {"type": kind, "frameId": frame, "loaderId": key, "request": {"url": url}, "wallTime": 1e9}
        self.tell("Network.requestWillBeSent", requestId=key, timestamp=float(self._number), **sent | more)
        return key

    def respond(self, key: str, status: int = 200, **response: Any) -> None:
        """The head of a response."""
        self.tell(
            "Network.responseReceived",
            requestId=key,
            response={"status": status, "protocol": "h2", **response},
        )

    def finish(self, key: str, **event: Any) -> None:
        """The end of a response."""
        self.tell("Network.loadingFinished", requestId=key, timestamp=self._number + 0.5, **event)

    def fail(self, key: str, error: str = "net::ERR_CONNECTION_RESET", **event: Any) -> None:
        """The failure of a request."""
        self.tell(
            "Network.loadingFailed", requestId=key, timestamp=self._number + 0.5, errorText=error, **event
        )

    def serve(self, url: str, kind: str = "Fetch", status: int = 200) -> str:
        """A request with its whole response."""
        key = self.ask(url, kind)
        self.respond(key, status)
        self.finish(key)
        return key

    def commit(self, key: str, url: str = URL) -> None:
        """The page stands at the document of a request."""
        self.tell("Page.frameNavigated", frame={"id": FRAME, "loaderId": key, "url": url})

    def load(self, url: str = URL, status: int = 200) -> str:
        """A navigation from its request to its load event."""
        key = self.serve(url, "Document", status)
        self.commit(key, url)
        self.tell("Page.loadEventFired", timestamp=2.0)
        return key
