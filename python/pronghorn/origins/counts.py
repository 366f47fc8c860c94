"""An origin's log of many requests as counts of those that are alike."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pronghorn.model.trial import OriginConnection, OriginCount, OriginRequest


class Kind(NamedTuple):
    """What makes two requests alike; `path` is None where the origin doesn't tell them apart by it."""

    path: str | None
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
        add(found, Kind(one.path, one.protocol, one.status), 1, one.bytes)
    return found


def add(counts: dict[Kind, Count], kind: Kind, requests: int, size: int) -> None:
    """Adds requests of a kind, whose bodies have `size` bytes in all."""
    before = counts.get(kind, Count())
    counts[kind] = Count(before.requests + requests, before.bytes + size)


def without(counts: Counts, path: str) -> Counts:
    """The counts but for the requests of a path."""
    return {kind: count for kind, count in counts.items() if kind.path != path}


def since(before: Counts, now: Counts) -> list[OriginCount]:
    """What came to a log after `before`, the most frequent first."""
    grown = []
    for kind, count in now.items():
        earlier = before.get(kind, Count())
        if count.requests > earlier.requests:
            more = count.requests - earlier.requests
            grown.append(OriginCount(**kind._asdict(), requests=more, bytes=count.bytes - earlier.bytes))
    return sorted(grown, key=lambda one: -one.requests)


def usual(connections: Iterable[OriginConnection]) -> list[OriginConnection]:
    """Of connections over the same protocol with the same congestion control one that ran with what most did:
    a connection whose handshake lost a packet begins with another window."""
    kinds: dict[tuple[str | None, str | None], Counter[str]] = {}
    for one in connections:
        seen = kinds.setdefault((one.protocol, one.congestion_control), Counter())
        seen[one.model_dump_json()] += 1
    return [OriginConnection.model_validate_json(seen.most_common(1)[0][0]) for seen in kinds.values()]
