"""What the browser says of one navigation's requests, over the DevTools protocol's domain Network."""

from collections.abc import Callable
from typing import Any

from playwright.async_api import CDPSession

Event = dict[str, Any]


class Exchange:
    """One request and what became of it, as events said; a redirect's next step is an exchange of its own.

    Times are seconds of the browser's monotonic clock."""

    def __init__(self, sent: Event) -> None:
        self.sent = sent
        self.priority: str | None = sent["request"].get("initialPriority")
        self.response: Event | None = None
        self.sent_headers: Event | None = None
        self.got_headers: Event | None = None
        self.from_cache = False
        self.decoded_bytes = 0
        self.encoded_bytes = 0
        self.ended: float | None = None
        self.error: str | None = None

    @property
    def url(self) -> str:
        """What was asked for."""
        return str(self.sent["request"]["url"])

    @property
    def body_bytes(self) -> int:
        """The bytes of the body as they came; of one with a content coding (RFC 9110 §8.4) at most what came
        in all."""
        response = self.response or {}
        coded = any(name.lower() == "content-encoding" for name in response.get("headers", {}))
        return min(self.decoded_bytes, self.encoded_bytes) if coded else self.decoded_bytes

    @property
    def counted(self) -> bool:
        """Whether it is one that a network could carry and the page asked for: the site's icon, which the
        browser may ask for itself about when the load event comes, is none of the load."""
        asked_by_browser = (
            self.sent.get("type") == "Other" and self.sent.get("initiator", {}).get("type") == "other"
        )
        return self.url.startswith(("http://", "https://")) and not asked_by_browser


class Events:
    """Collects the exchanges of one navigation after the other; what comes once it has `ended` is none of
    its load."""

    def __init__(self, session: CDPSession) -> None:
        self.exchanges: list[Exchange] = []
        self.loaded = False
        self.ended = False
        self.changed: Any = lambda: None
        self._open: dict[str, Exchange] = {}
        for name, handler in (
            ("requestWillBeSent", self._sent),
            ("requestWillBeSentExtraInfo", self._sent_headers),
            ("responseReceivedExtraInfo", self._got_headers),
            ("resourceChangedPriority", self._priority),
            ("requestServedFromCache", self._cached),
            ("responseReceived", self._response),
            ("dataReceived", self._data),
            ("loadingFinished", self._finished),
            ("loadingFailed", self._failed),
        ):
            session.on(f"Network.{name}", self._until_ended(handler))
        session.on("Page.loadEventFired", self._until_ended(self._load_event))

    def clear(self) -> None:
        """Forgets what was before a navigation."""
        self.exchanges.clear()
        self._open.clear()
        self.loaded = self.ended = False

    @property
    def complete(self) -> bool:
        """Whether the load event has come and nothing that was asked for is outstanding."""
        return self.loaded and not self.outstanding()

    @property
    def document(self) -> Exchange | None:
        """The navigation's own request, after its redirects."""
        return next((one for one in reversed(self.exchanges) if one.sent.get("type") == "Document"), None)

    def _until_ended(self, handler: Callable[[Event], None]) -> Callable[[Event], None]:
        def handle(event: Event) -> None:
            if not self.ended:
                handler(event)

        return handle

    def outstanding(self) -> list[Exchange]:
        """The requests without an end."""
        return [one for one in self.exchanges if one.counted and one.ended is None]

    def _sent(self, event: Event) -> None:
        key = event["requestId"]
        if (redirected := event.get("redirectResponse")) and key in self._open:
            before = self._open[key]
            before.response = redirected
            before.ended = event["timestamp"]
        exchange = Exchange(event)
        self._open[key] = exchange
        self.exchanges.append(exchange)

    def _sent_headers(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.sent_headers = event.get("headers")

    def _got_headers(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.got_headers = event.get("headers")

    def _priority(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.priority = event["newPriority"]

    def _cached(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.from_cache = True

    def _response(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.response = event["response"]
            exchange.from_cache |= bool(event["response"].get("fromDiskCache"))

    def _data(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.decoded_bytes += int(event["dataLength"])

    def _finished(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.ended = event["timestamp"]
            exchange.encoded_bytes = int(event.get("encodedDataLength") or 0)
            self.changed()

    def _failed(self, event: Event) -> None:
        if exchange := self._open.get(event["requestId"]):
            exchange.ended = event["timestamp"]
            exchange.error = event.get("errorText") or "failed"
            self.changed()

    def _load_event(self, event: Event) -> None:
        """The load event, unless it is that of the page before, told late."""
        del event
        if self.document is not None:
            self.loaded = True
            self.changed()
