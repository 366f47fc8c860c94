"""Which of a page's requests are its own, which failures it bears, and which requests a load leaves out."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pronghorn.browser.events import Events, Exchange

OTHER_HOST, BLOCKED, ABORTED, SOCKET, STREAM, OPEN = (
    "other-host",
    "blocked",
    "aborted",
    "socket",
    "stream",
    "open",
)
"""The record's words for why a request was left out."""

MOST_NAMED = 100
"""The most left-out requests that a record names (`MOST_LEFT_OUT` of the model, which is not loaded in the
client's host)."""

_ABORTED = "net::ERR_ABORTED"
_REFUSED = "net::ERR_FAILED"
"""What a request becomes whose answer CORS doesn't let the page see, such as one that nothing recorded
fits."""

_EVENT_SOURCE = "EventSource"
"""What Chromium calls the request for an event stream, which no archive holds."""

_BLOCKED = ("net::ERR_BLOCKED_BY_", "net::ERR_UNSAFE_PORT")
_BODILESS = (204, 205)
_PORTS = {"http": 80, "https": 443}
_MOST_URL = 2048
_MOST_SHOWN = 200

Origin = tuple[str, str | None, int | None]


class Asked:
    """The requests of a load of the document at `url`. `alone`: no other origin can be reached. `tolerate`
    are globs, over path and query, of requests that may fail. `finished`: the load was not cut. `recorded`
    are the hosts of a page that is replayed: they count as its own, and their statuses are as recorded."""

    def __init__(
        self,
        events: Events,
        url: str,
        *,
        alone: bool,
        tolerate: Sequence[str],
        finished: bool,
        recorded: Sequence[str] = (),
    ) -> None:
        self.events = events
        self._page_host = origin_of(url)[1]
        self._recorded = frozenset(recorded)
        self._alone = alone
        self._tolerate = tolerate
        self._finished = finished
        self._own = {origin_of(url)}
        if not alone:
            self._own |= {origin_of(one.url) for one in events.documents}

    def left_out(self, exchange: Exchange) -> str | None:
        """Why a request is left out, in the record's words; None where it counts. The page's own document
        always does, but one that it took back for another, or that was a download while it stayed where it
        was."""
        navigations, error = self.events.navigations, self.error(exchange)
        if navigations.is_own(exchange.sent):
            given_up = error == _ABORTED and navigations.went_past(exchange.sent)
            return ABORTED if given_up else None
        if self._recorded and exchange.sent.get("type") == _EVENT_SOURCE:
            return STREAM
        if exchange.blocked or (error or "").startswith(_BLOCKED):
            return BLOCKED
        if self._alone and self._elsewhere(exchange):
            return OTHER_HOST
        if error == _ABORTED or (exchange.aborted and error is not None):
            return ABORTED
        return OPEN if exchange.ended is None and self._finished else None

    def bears(self, exchange: Exchange) -> bool:
        """Whether a request's failure is its own outcome and not the load's: the experiment tolerates it, or
        another host failed."""
        if self.events.navigations.is_own(exchange.sent):
            return False
        if self._elsewhere(exchange):
            return True
        if self._recorded and self._is_others(exchange) and exchange.error == _REFUSED:
            return True
        asked = self.path(exchange)
        return any(matches(pattern, asked) for pattern in self._tolerate)

    def error(self, exchange: Exchange) -> str | None:
        """What the network made of a request; None where nothing went wrong. An answer without a body is
        whole with its head, though Chromium says of some of a script's that they were aborted."""
        status = (exchange.response or {}).get("status")
        whole = self._recorded and status in _BODILESS and exchange.error == _ABORTED
        return None if whole else exchange.error

    def bears_status(self) -> bool:
        """Whether a status of 400 and above is as it should be: as recorded. What was not recorded is known
        by the origin's log."""
        return bool(self._recorded)

    def path(self, exchange: Exchange) -> str:
        """A request's path with its query; the whole URL of one to another recorded host than the page's."""
        path = path_of(exchange.url)
        if not self._recorded or not self._is_others(exchange):
            return path
        return f"https://{origin_of(exchange.url)[1]}{path}"

    def name(self, exchange: Exchange) -> str:
        """What a person is told of a request."""
        if not self._elsewhere(exchange):
            return self.path(exchange)[:_MOST_SHOWN]
        return f"{exchange.url[:_MOST_SHOWN]} (another host than the page's)"

    def mend(self, exchange: Exchange) -> str:
        """What to write where a request may fail, as a sentence's end."""
        if self.events.navigations.is_own(exchange.sent):
            return ""
        return f"; to accept its failure, {to_tolerate(self.path(exchange))}"

    def told(self, left: Sequence[tuple[Exchange, str]], kinds: dict[str, str]) -> dict[str, Any]:
        """The record's `left_out`, which names everything once, and `left_out_count`, which counts all of it.
        Sockets come first: what is named decides what the origin may have served over another protocol."""
        named = [(url, SOCKET, "other") for url in self.events.sockets]
        named += [(one.url, why, kinds.get(one.sent.get("type", ""), "other")) for one, why in left]
        at = [one.url for one in self.events.documents]
        named += [(url, OPEN, "document") for url in self.events.navigations.later if url not in at]
        once = dict.fromkeys((url[:_MOST_URL], why, kind) for url, why, kind in named)
        return {
            "left_out": [
                {"url": url, "why": why, "kind": kind} for url, why, kind in list(once)[:MOST_NAMED]
            ],
            "left_out_count": len(named),
        }

    def _elsewhere(self, exchange: Exchange) -> bool:
        origin = origin_of(exchange.url)
        if self._recorded:
            return origin[0] != "https" or origin[1] not in self._recorded
        return origin not in self._own

    def _is_others(self, exchange: Exchange) -> bool:
        return origin_of(exchange.url)[1] != self._page_host


def to_tolerate(asked: str) -> str:
    """What to write where the request of a path may fail, whatever its query."""
    path, query, _ = asked.partition("?")
    pattern = json.dumps(path + ("*" if query else ""), ensure_ascii=False)
    return f"write tolerate = [{pattern}] in the experiment"


def matches(pattern: str, asked: str) -> bool:
    """Whether a path with its query is one that a glob means, in which `*` is any run of characters and
    nothing else is special. Each part is taken at its first place, which leaves most to those that follow: a
    page may ask for names as long as it likes."""
    prefix, star, rest = pattern.partition("*")
    if not star:
        return pattern == asked
    if not asked.startswith(prefix):
        return False
    *middles, suffix = rest.split("*")
    at = len(prefix)
    for part in middles:
        if (found := asked.find(part, at)) < 0:
            return False
        at = found + len(part)
    return len(asked) - at >= len(suffix) and asked.endswith(suffix)


def path_of(url: str) -> str:
    """A URL's path with its query as it is asked for: an empty one (`/a?`) is not the same as none. Of what
    is no URL, as a script may call itself, it is nothing."""
    bare = url.partition("#")[0]
    parts = _parts(bare)
    return "" if parts is None else "".join((parts.path, *bare.partition("?")[1:]))


def origin_of(url: str) -> Origin:
    """Scheme, host and port (RFC 6454 §4); of what is no URL nobody's."""
    if (parts := _parts(url)) is None:
        return "", None, None
    try:
        port = parts.port
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)


def _parts(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
