"""When each request of the load was made and answered: by rule, so that they are the same on every machine.

The rule is a line of `RATE` bit/s behind which each address lies at its host's round trip. Answers pass the
line one after the other, in the order of their first bytes. An address has one connection, which takes two
round trips to open, and HTTP/1.1 up to six. What a preconnect names is opened once the document's head is
there. Scripts compute for as long as they are busy (`scripts.BUSY_MS`)."""

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pronghorn.sites.storefront.hosts import API, FONTS, HOSTS, IMAGES, STATIC, name_of
from pronghorn.sites.storefront.item import Item

RATE = 40e6
"""Bits per second."""

HANDSHAKES = 2
"""Round trips before the first request of a connection: TCP's, and that of TLS 1.3."""

_PRECONNECTED = (STATIC, IMAGES, API, FONTS)
_MOST_H1 = 6
_HEAD_BYTES = 300
_SCROLLED_AFTER_S = 0.5
_SCROLL_STEP_S = 0.1


class Timed(NamedTuple):
    """An item with its times in seconds, as an archive has them."""

    item: Item
    start_s: float
    blocked_s: float
    wait_s: float
    receive_s: float

    @property
    def first_byte_s(self) -> float:
        """When its head was there."""
        return self.start_s + self.blocked_s + self.wait_s

    @property
    def end_s(self) -> float:
        """When its last byte was there."""
        return self.first_byte_s + self.receive_s


class Load(NamedTuple):
    """The items in the order of their start, and when the load event came, in seconds."""

    timed: Sequence[Timed]
    load_s: float


def timed(items: Sequence[Item]) -> Load:
    """The load of `items`, the first of which is the page."""
    return _Loading(items).run()


class _Loading:
    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self._waiting: dict[Item, list[Item]] = {}
        for one in items:
            if one.by is not None and one.upon in ("head", "named", "end"):
                self._waiting.setdefault(one.by, []).append(one)
        self._after = {
            upon: [one for one in items if one.upon == upon] for upon in ("deferred", "load", "scroll")
        }
        self._undone = {one for one in items if one.deferred} | {items[0]}
        self._coming: list[tuple[float, int, Timed]] = []
        self._done: list[Timed] = []
        self._free_s = 0.0
        self._open: dict[object, list[float]] = {}

    def run(self) -> Load:
        page = self._items[0]
        self._ask(page, 0.0)
        self._until_silent()
        load_s = max(one.end_s for one in self._done if one.item.holds_load)
        for one in self._after["load"]:
            self._ask(one, load_s + one.compute_s)
        for place, one in enumerate(self._after["scroll"]):
            self._ask(one, load_s + _SCROLLED_AFTER_S + place * _SCROLL_STEP_S)
        self._until_silent()
        return Load(sorted(self._done, key=lambda one: one.start_s), load_s)

    def _until_silent(self) -> None:
        while self._coming:
            _, _, coming = heapq.heappop(self._coming)
            size = _HEAD_BYTES + coming.item.wire_bytes
            self._free_s = max(self._free_s, coming.first_byte_s) + 8 * size / RATE
            done = coming._replace(receive_s=self._free_s - coming.first_byte_s)
            self._done.append(done)
            if done.item is self._items[0]:
                self._preconnect(done.first_byte_s)
            for one in self._waiting.get(done.item, ()):
                self._ask(one, _begins_s(one, done))
            if done.item in self._undone:
                self._undone.remove(done.item)
                self._run_deferred()

    def _run_deferred(self) -> None:
        if not self._undone:
            ready_s = max(one.end_s for one in self._done if one.item.deferred or one.item is self._items[0])
            for one in self._after["deferred"]:
                self._ask(one, ready_s + one.compute_s)

    def _preconnect(self, now_s: float) -> None:
        for base in _PRECONNECTED:
            host = HOSTS[name_of(base)]
            self._open.setdefault(host.group, [now_s + HANDSHAKES * (host.rtt_s or 0.0)])

    def _ask(self, item: Item, start_s: float) -> None:
        host = HOSTS[item.target.host]
        rtt_s = host.rtt_s or 0.0
        sent_s = self._connected_s(item, start_s, rtt_s)
        coming = Timed(item, start_s, sent_s - start_s, rtt_s + item.think_s, 0.0)
        if protocol(item) == "h1":
            self._open[host.group].append(coming.first_byte_s + 8 * item.wire_bytes / RATE)
        heapq.heappush(self._coming, (coming.first_byte_s, len(self._done) + len(self._coming), coming))

    def _connected_s(self, item: Item, start_s: float, rtt_s: float) -> float:
        """When a connection takes the request: one that is open, or that becomes free or open first."""
        host = HOSTS[item.target.host]
        opened_s = start_s + HANDSHAKES * rtt_s
        known = self._open.setdefault(host.group, [])
        if protocol(item) != "h1":
            if not known:
                known.append(opened_s)
            return max(start_s, known[0])
        free_s = min(known, default=math.inf)
        if free_s > start_s and len(known) < _MOST_H1:
            return opened_s
        known.remove(free_s)
        return max(start_s, free_s)


def protocol(item: Item) -> str:
    """Which protocol an item came by: h2 where its host has it."""
    return "h2" if "h2" in HOSTS[item.target.host].protocols else "h1"


def _begins_s(one: Item, by: Timed) -> float:
    """When a request begins that waits for `by` alone."""
    if one.upon == "head":
        return by.first_byte_s
    if one.upon == "end":
        return by.end_s + one.compute_s
    return by.first_byte_s + by.receive_s * _share(one, by.item)


def _share(one: Item, document: Item) -> float:
    """How much of a document precedes the name of what it names."""
    spellings: Iterable[str] = (one.url, one.url.replace("&", "&amp;"), one.target.path)
    text = document.content
    places = [at for name in spellings if (at := text.find(name.encode())) >= 0]
    if not places:
        raise ValueError(f"{one.url} is not named by {document.url}")
    return min(places) / len(text)
