"""What is heard of one navigation is not taken for another's."""

from collections.abc import Callable
from typing import Any, cast

from playwright.async_api import CDPSession

from pronghorn.browser.events import Events


class Told:
    """A DevTools session that tells what a test has it tell."""

    def __init__(self) -> None:
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {}

    def on(self, name: str, handler: Callable[[dict[str, Any]], None]) -> None:
        """As playwright's."""
        self._handlers[name] = handler

    def tell(self, name: str, **event: Any) -> None:
        """Tells an event."""
        self._handlers[name](event)

    def load_document(self) -> None:
        """Tells a navigation from its request to its load event."""
        request = {"url": "https://origin.test/"}
        self.tell("Network.requestWillBeSent", requestId="1", type="Document", request=request, timestamp=1.0)
        self.tell("Network.loadingFinished", requestId="1", timestamp=2.0)


def test_what_comes_after_a_loads_end_is_none_of_it() -> None:
    told = Told()
    events = Events(cast("CDPSession", told))
    request = {"url": "https://origin.test/"}
    told.tell("Network.requestWillBeSent", requestId="1", type="Document", request=request, timestamp=1.0)
    events.ended = True
    told.tell("Network.loadingFailed", requestId="1", timestamp=2.0, errorText="net::ERR_ABORTED")
    assert [(one.ended, one.error) for one in events.exchanges] == [(None, None)]


def test_a_load_event_of_the_page_before_that_is_told_late_completes_nothing() -> None:
    told = Told()
    events = Events(cast("CDPSession", told))
    told.load_document()
    told.tell("Page.loadEventFired")
    assert events.complete
    events.clear()
    told.tell("Page.loadEventFired")
    told.load_document()
    assert not events.complete
    told.tell("Page.loadEventFired")
    assert events.complete


def test_the_icon_that_the_browser_itself_asks_for_is_none_of_the_load() -> None:
    told = Told()
    events = Events(cast("CDPSession", told))
    told.load_document()
    told.tell(
        "Network.requestWillBeSent",
        requestId="2", type="Other", initiator={"type": "other"},
        request={"url": "https://origin.test/favicon.ico"}, timestamp=1.5,
    )  # fmt: skip
    told.tell("Page.loadEventFired")
    assert events.complete
    assert [one.url for one in events.exchanges if one.counted] == ["https://origin.test/"]


def test_a_compressed_body_counts_by_what_came_and_not_by_what_it_became() -> None:
    for headers, expected in (({"Content-Encoding": "gzip"}, 3_100), ({}, 10_000)):
        told = Told()
        events = Events(cast("CDPSession", told))
        request = {"url": "https://origin.test/"}
        told.tell("Network.requestWillBeSent", requestId="1", type="Document", request=request, timestamp=1.0)
        told.tell("Network.responseReceived", requestId="1", response={"status": 200, "headers": headers})
        told.tell("Network.dataReceived", requestId="1", dataLength=10_000)
        told.tell("Network.loadingFinished", requestId="1", timestamp=2.0, encodedDataLength=3_100)
        assert [one.body_bytes for one in events.exchanges] == [expected]
