"""What sets off each request of a replay, and what is computed before it."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Literal, NamedTuple
from urllib.parse import urljoin

from pronghorn.sites.archive import Archive, Exchange
from pronghorn.sites.replay import mentions
from pronghorn.sites.replay.choice import REDIRECTS, Chosen

Upon = Literal["head", "bytes", "end"]

_LINKED = re.compile(r"<([^<>]*)>")

_WITHIN_DOCUMENTS = frozenset({"parser", "preload", "other", "script"})
"""How a document itself may have asked: by its markup, or by a script in it."""

_SOON_S = 0.5
"""What a document names was asked for no later than so long after its end, unless something else than its
arrival set that off: scrolling, a script that loads pictures late."""


class Cause(NamedTuple):
    """The id of the request whose answer sets another one off, and what of the answer: its head, so many
    decoded bytes of its body, or its end. `compute_s` is what the recorded browser computed in between."""

    initiator: int
    upon: Upon
    upon_bytes: int | None = None
    compute_s: float = 0.0


class Causes:
    """The causes of an archive's requests, of which `chosen` are replayed."""

    def __init__(self, archive: Archive, chosen: Chosen) -> None:
        self._archive = archive
        self._page = chosen.exchanges[0]
        self._by_id: Mapping[int, Exchange] = {one.id: one for one in chosen.exchanges}
        self._initiators = chosen.initiators
        self._ended = sorted(chosen.exchanges, key=lambda one: one.end_s)
        self._texts: dict[int, bytes | None] = {}

    def of(self, one: Exchange) -> Cause:
        """What sets off a request that isn't the page's.

        A redirect's target: the redirect's head. What a document names: so much of it as holds the name, or
        its head if a Link header does; but not what was asked for long after it. What a document asked for
        while it arrived without naming it: the share of it that had arrived by then. Everything else: its
        initiator's end, the page's where none is known; then what was computed counts, from the last answer
        that had ended before the request."""
        asked_by = self._initiators.get(one.id)
        initiator = self._by_id.get(asked_by, self._page) if asked_by is not None else self._page
        if one.how == "redirect" and initiator.status in REDIRECTS:
            return Cause(initiator.id, "head")
        if initiator.kind == "document" and one.how in _WITHIN_DOCUMENTS:
            within = self._within(initiator, one)
            if within is not None:
                return within
        return Cause(initiator.id, "end", compute_s=self._computed_s(initiator, one))

    def _within(self, document: Exchange, one: Exchange) -> Cause | None:
        if one.url in _linked(document):
            return Cause(document.id, "head")
        text = self._text(document)
        if text is None:
            return None
        ended_s = document.end_s
        soon = one.start_s <= ended_s + _SOON_S
        if soon and (named := mentions.end_of_mention(document, text, one)) is not None:
            return Cause(document.id, "bytes", named)
        began_s = ended_s - document.receive_s
        if not began_s <= one.start_s < ended_s:
            return None
        share = (one.start_s - began_s) / (ended_s - began_s)
        return Cause(document.id, "bytes", round(share * len(text)))

    def _text(self, document: Exchange) -> bytes | None:
        if document.id not in self._texts:
            body = b"" if document.body is None else self._archive.body(document.body)
            self._texts[document.id] = mentions.decoded(document, body)
        return self._texts[document.id]

    def _computed_s(self, initiator: Exchange, one: Exchange) -> float:
        """The time before a request in which nothing that came later than its initiator ended: what the
        network did in between is none of the computing."""
        before = bisect_right(self._ended, one.start_s, key=lambda other: other.end_s)
        earlier = (other for other in reversed(self._ended[:before]) if other.start_s < one.start_s)
        ended_s = next((other.end_s for other in earlier), 0.0)
        return round(max(0.0, one.start_s - max(ended_s, initiator.end_s)), 6)


def _linked(document: Exchange) -> Iterator[str]:
    """The URLs that a document's Link headers name (RFC 8288 §3), a 103's included."""
    for name, value in (*document.headers, *document.hints):
        if name.lower() == "link":
            for target in _LINKED.findall(value):
                with suppress(ValueError):
                    yield urljoin(document.url, target.strip())
