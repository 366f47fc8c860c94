"""An origin's log of many requests as counts of those that are alike."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pronghorn.model.trial import OriginConnection, OriginCount, OriginRequest

MOST_CONNECTIONS = 10
"""Of connections that differ in what they ran with, so many are kept."""


class Kind(NamedTuple):
    """What makes two requests alike."""

    path: str
    protocol: str | None
    status: int | None


class Count(NamedTuple):
    """How many requests, and the bytes of their bodies."""

    requests: int = 0
    bytes: int = 0


Counts = Mapping[Kind, Count]


def counted(requests: Iterable[OriginRequest]) -> Counts:
    """The requests of a log, counted."""
    found: dict[Kind, Count] = {}
    for one in requests:
        kind = Kind(one.path, one.protocol, one.status)
        before = found.get(kind, Count())
        found[kind] = Count(before.requests + 1, before.bytes + one.bytes)
    return found


def since(before: Counts, now: Counts) -> list[OriginCount]:
    """What came to a log after `before`, the most frequent first."""
    grown = []
    for kind, count in now.items():
        earlier = before.get(kind, Count())
        if count.requests > earlier.requests:
            more = count.requests - earlier.requests
            grown.append(OriginCount(**kind._asdict(), requests=more, bytes=count.bytes - earlier.bytes))
    return sorted(grown, key=lambda one: -one.requests)


def distinct(connections: Iterable[OriginConnection]) -> list[OriginConnection]:
    """Connections that differ in what they ran with, a few of them."""
    found: list[OriginConnection] = []
    for one in connections:
        if one not in found:
            found.append(one)
        if len(found) == MOST_CONNECTIONS:
            break
    return found
