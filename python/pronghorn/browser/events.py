"""What the browser says of one navigation's requests, over the DevTools protocol's domain Network."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.async_api import CDPSession

from pronghorn.browser.navigations import Navigations

Event = dict[str, Any]

MOST_REQUESTS = 10_000
"""How many requests and sockets a load may have before it is given up; no real page has a tenth of them."""

MOST_TEXT = 32 * 2**20
"""How many characters the URLs and headers of a load's requests may have together before it is given up."""

_HTTP = ("http://", "https://")
MOST_INITIATOR = 2048
"""How many characters of the URL are kept that asked for another one."""

_USED = ("requestId", "type", "frameId", "timestamp", "wallTime", "redirectResponse")
_USED_OF_REQUEST = ("url", "method", "headers", "initialPriority")
_MOST_DIGITS = 19
"""Of a length that is believed."""

_HEAD_FRAMING = 1000
"""Bytes that a response's head has at most beside its headers' names and values."""


class Exchange:
    """One request and what became of it, as events said; a redirect's next step is an exchange of its own.

    Times are seconds of the browser's monotonic clock. `aborted`: the page took it back; `blocked`: a policy
    refused it, such as CSP; `by_worker`: a worker or a frame with a process of its own asked."""

    def __init__(self, sent: Event, *, by_worker: bool = False) -> None:
        self.sent = sent
        self.by_worker = by_worker
        self.priority: str | None = sent["request"].get("initialPriority")
        self.response: Event | None = None
        self.sent_headers: Event | None = None
        self.got_headers: Event | None = None
        self.from_cache = False
        self.decoded_bytes = 0
        self.encoded_bytes = 0
        self.coded_bytes = 0
        self.ended: float | None = None
        self.error: str | None = None
        self.aborted = False
        self.blocked = False

    @property
    def url(self) -> str:
        """What was asked for."""
        return str(self.sent["request"]["url"])

    @property
    def redirected(self) -> bool:
        """Whether it is where a redirect led to."""
        return "redirectResponse" in self.sent

    @property
    def content_coding(self) -> str | None:
        """The response's content coding (RFC 9110 §8.4); None where it has none."""
        return self._header("content-encoding")

    @property
    def body_bytes(self) -> int:
        """The bytes of the body as they came. The browser counts what it decoded; of a body with a content
        coding what came in all, with the head and its framing, and what of it had come when it told of the
        head. That may hold the body's beginning. So a body that was decoded is as long as the server says, if
        so much came."""
        if self.content_coding is None:
            return self.decoded_bytes
        came = max(0, self.encoded_bytes - self._head_bytes) or self.coded_bytes
        length = self._header("content-length")
        if length and length.isascii() and length.isdigit() and len(length) < _MOST_DIGITS:
            most = self.encoded_bytes if self.decoded_bytes else came
            return int(length) if int(length) <= most else came
        return came

    @property
    def _head_bytes(self) -> int:
        """The bytes of the response's head; where the browser's count holds more than that, about."""
        response = self.response or {}
        told, text = int(response.get("encodedDataLength") or 0), _size(response.get("headers"))
        return told if told <= text + _HEAD_FRAMING else text

    def _header(self, name: str) -> str | None:
        headers = (self.response or {}).get("headers", {})
        found = next((value for key, value in headers.items() if key.lower() == name), "")
        return str(found) or None

    @property
    def counted(self) -> bool:
        """Whether it is one that a network could carry and the page asked for: the site's icon, which the
        browser may ask for itself about when the load event comes, is none of the load."""
        initiator = self.sent.get("initiator", {}).get("type")
        asked_by_browser = not self.by_worker and self.sent.get("type") == "Other" and initiator == "other"
        return self.url.startswith(_HTTP) and not asked_by_browser


def _kept(sent: Event) -> Event:
    """What is used of a request's event. The rest may be as long as the page likes: what it posts, the
    document's own URL, the stack of a script's calls."""
    kept = {name: value for name, value in sent.items() if name in _USED}
    request, initiator = sent["request"], sent.get("initiator", {})
    kept["request"] = {name: value for name, value in request.items() if name in _USED_OF_REQUEST}
    frames = initiator.get("stack", {}).get("callFrames", [])
    url = initiator.get("url") or next((one["url"] for one in frames if one.get("url")), None)
    kept["initiator"] = {"type": initiator.get("type"), "url": url[:MOST_INITIATOR] if url else None}
    return kept


class Events:
    """Collects the exchanges of one navigation after the other; what comes once it has `ended` is none of
    its load. `too_large`: there were more than are kept. `sockets` are the URLs of WebSockets and
    WebTransports."""

    def __init__(self, session: CDPSession) -> None:
        self.exchanges: list[Exchange] = []
        self.sockets: list[str] = []
        self.navigations = Navigations()
        self.ended = False
        self.too_large = False
        self.changed: Any = lambda: None
        self._known: dict[str, Exchange] = {}
        self._open: dict[str, Exchange] = {}
        self._text = 0
        self._handlers: dict[str, Callable[[Event], None]] = {
            "Network.requestWillBeSentExtraInfo": self._sent_headers,
            "Network.responseReceivedExtraInfo": self._got_headers,
            "Network.resourceChangedPriority": self._priority,
            "Network.requestServedFromCache": self._cached,
            "Network.dataReceived": self._data,
            "Network.loadingFinished": self._finished,
            "Network.loadingFailed": self._failed,
            "Network.webSocketCreated": self._socket,
            "Network.webTransportCreated": self._socket,
        }
        own = {
            **self._handlers,
            "Network.requestWillBeSent": self._sent,
            "Network.responseReceived": self._response,
            **self.navigations.handlers,
        }
        for name, handler in own.items():
            session.on(name, partial(self._heard, handler))

    def clear(self) -> None:
        """Forgets what was before a navigation."""
        self.exchanges.clear()
        self.sockets.clear()
        self.navigations.clear()
        self._known.clear()
        self._open.clear()
        self._text = 0
        self.ended = self.too_large = False

    def of_worker(self, name: str, event: Event, target: str) -> None:
        """Hears what the DevTools session of a `target` of the page's says: a worker's, or a frame's that has
        a process of its own."""
        if name == "Network.requestWillBeSent":
            self._heard(partial(self._sent, by_worker=True), event)
        elif name == "Network.responseReceived":
            self._heard(self._workers_response, event)
        elif name == "Inspector.workerScriptLoaded":
            self._heard(partial(self._script_loaded, target), event)
        elif name in self._handlers:
            self._heard(self._handlers[name], event)

    @property
    def loaded(self) -> bool:
        """Whether the load event of the document at which the page stays has come."""
        return self.navigations.arrived

    @property
    def complete(self) -> bool:
        """Whether the load event has come, nothing that was asked for is outstanding, and the page is not
        about to go elsewhere."""
        return self.loaded and not self._open and not self.navigations.due

    @property
    def documents(self) -> list[Exchange]:
        """The page's own documents, with redirects' steps, without those of frames within it."""
        return [one for one in self.exchanges if self.navigations.is_own(one.sent)]

    def outstanding(self) -> list[Exchange]:
        """The requests without an end."""
        return list(self._open.values())

    def _heard(self, handler: Callable[[Event], None], event: Event) -> None:
        if not self.ended:
            handler(event)
        self.changed()

    def _sent(self, event: Event, *, by_worker: bool = False) -> None:
        key, url = event["requestId"], str(event["request"]["url"])
        if (redirected := event.get("redirectResponse")) and key in self._known:
            before = self._known[key]
            before.response = redirected
            self._count(_size(redirected.get("headers")))
            before.ended = event["timestamp"]
            self._open.pop(key, None)
        if not url.startswith(_HTTP):
            return
        self.navigations.asked(event)
        exchange = Exchange(_kept(event), by_worker=by_worker)
        self._count(len(url), _size(event["request"].get("headers")))
        self._known[key] = exchange
        if exchange.counted:
            self._open[key] = exchange
        self.exchanges.append(exchange)

    def _sent_headers(self, event: Event) -> None:
        if exchange := self._known.get(event["requestId"]):
            exchange.sent_headers = event.get("headers")
            self._count(_size(exchange.sent_headers))

    def _got_headers(self, event: Event) -> None:
        if exchange := self._known.get(event["requestId"]):
            exchange.got_headers = event.get("headers")
            self._count(_size(exchange.got_headers))

    def _priority(self, event: Event) -> None:
        if exchange := self._known.get(event["requestId"]):
            exchange.priority = event["newPriority"]

    def _cached(self, event: Event) -> None:
        if exchange := self._known.get(event["requestId"]):
            exchange.from_cache = True

    def _response(self, event: Event) -> None:
        """A response; what a service worker answers has not travelled, and what it asks for itself is told of
        by its own session."""
        if exchange := self._known.get(event["requestId"]):
            response = exchange.response = event["response"]
            exchange.from_cache |= bool(response.get("fromDiskCache") or response.get("fromServiceWorker"))
            self._count(_size(response.get("headers")))

    def _workers_response(self, event: Event) -> None:
        """A response to a worker, whose request may have been made before its session was listened to."""
        response = event["response"]
        begun = (response.get("timing") or {}).get("requestTime", event["timestamp"])
        if event["requestId"] not in self._known and self.exchanges:
            first = self.exchanges[0].sent
            wall = first["wallTime"] + begun - first["timestamp"]
            request = {"url": response["url"], "method": "", "headers": {}}
            self._sent({**event, "request": request, "timestamp": begun, "wallTime": wall}, by_worker=True)
        self._response(event)

    def _script_loaded(self, target: str, event: Event) -> None:
        """A worker runs: its script has come, even where its session was listened to only afterwards. The
        script's request is named as the worker's target is."""
        del event
        if (exchange := self._open.get(target)) and exchange.response is None:
            exchange.ended = time.monotonic()
            self._open.pop(target)

    def _data(self, event: Event) -> None:
        if exchange := self._known.get(event["requestId"]):
            exchange.decoded_bytes += int(event["dataLength"])
            exchange.coded_bytes += int(event.get("encodedDataLength") or 0)

    def _finished(self, event: Event) -> None:
        self._open.pop(event["requestId"], None)
        if exchange := self._known.get(event["requestId"]):
            exchange.ended = event["timestamp"]
            exchange.encoded_bytes = int(event.get("encodedDataLength") or 0)

    def _failed(self, event: Event) -> None:
        self.navigations.failed(event["requestId"])
        self._open.pop(event["requestId"], None)
        if exchange := self._known.get(event["requestId"]):
            exchange.ended = event["timestamp"]
            exchange.error = event.get("errorText") or "failed"
            exchange.blocked = bool(event.get("blockedReason") or event.get("corsErrorStatus"))
            exchange.aborted = bool(event.get("canceled"))

    def _socket(self, event: Event) -> None:
        self.sockets.append(str(event["url"]))
        self._count(len(event["url"]))

    def _count(self, *sizes: int) -> None:
        self._text += sum(sizes)
        many = len(self.exchanges) + len(self.sockets) >= MOST_REQUESTS
        if many or self._text > MOST_TEXT:
            self.too_large = self.ended = True


def _size(headers: Event | None) -> int:
    return sum(len(name) + len(str(value)) for name, value in (headers or {}).items())
