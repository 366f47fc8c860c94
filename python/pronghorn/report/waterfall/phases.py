"""What a request did when: its time cut into phases, the connection's set-up given to the request that opened
it, and the time that the origin had it."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pronghorn.model.trial import Connection, OriginRequest, PageLoad, Resource

Phase = Literal["queued", "dns", "tcp", "tls", "quic", "waiting", "receiving"]
PHASES: dict[Phase, str] = {
    "queued": "queued",
    "dns": "DNS",
    "tcp": "TCP connect",
    "tls": "TLS",
    "quic": "QUIC handshake",
    "waiting": "waiting for the first byte",
    "receiving": "receiving",
}
"""The phases in the order in which a request passes through them, each with its name in the legend."""


class Span(NamedTuple):
    """One phase of a request, in seconds since the navigation's start."""

    phase: Phase
    from_s: float
    to_s: float


class Request(NamedTuple):
    """A resource's phases in their order, and `broke_s`, when a failed one was last heard of (else None).
    `served_s` is how long the origin had it, by its log, `arrived_s` about when it came there; None where
    that isn't known."""

    resource: Resource
    spans: tuple[Span, ...]
    broke_s: float | None
    served_s: float | None = None
    arrived_s: float | None = None


def requests(page: PageLoad, log: Sequence[OriginRequest] = ()) -> list[Request]:
    """The load's requests in the order in which they were found, those without a time last; `log` is the
    origin's of this load."""
    opened = _openers(page)
    served = _served(page, log)
    way_s = _way_s(page)
    found = [
        _request(resource, opened.get(place))._replace(
            served_s=served[place],
            arrived_s=resource.request_s + way_s if resource.request_s is not None else None,
        )
        for place, resource in enumerate(page.resources)
    ]
    return sorted(found, key=lambda each: (each.resource.start_s is None, each.resource.start_s or 0.0))


def _served(page: PageLoad, log: Sequence[OriginRequest]) -> list[float | None]:
    """By a resource's place, what the origin's log says of its request; of equal ones in their order."""
    told: defaultdict[tuple[str, str | None, int | None], deque[float | None]] = defaultdict(deque)
    for entry in log:
        told[entry.path, entry.protocol, entry.status].append(entry.served_s)
    found: list[float | None] = []
    for resource in page.resources:
        mine = told.get((resource.path, resource.protocol, resource.status))
        found.append(mine.popleft() if mine and not resource.from_cache else None)
    return found


def _way_s(page: PageLoad) -> float:
    """How long a request takes to the origin: at most half of the shortest wait for a first byte."""
    waits = [
        one.first_byte_s - one.request_s
        for one in page.resources
        if one.first_byte_s is not None and one.request_s is not None and not one.from_cache
    ]
    return max(0.0, min(waits, default=0.0)) / 2


def _openers(page: PageLoad) -> dict[int, Connection]:
    """By a resource's place, the connection whose first request it was."""
    first: dict[int, tuple[float, int]] = {}
    for place, resource in enumerate(page.resources):
        number = resource.connection
        if number is None or not 0 <= number < len(page.connections):
            continue
        at = resource.request_s if resource.request_s is not None else float("inf")
        first[number] = min(first.get(number, (at, place)), (at, place))
    return {place: page.connections[number] for number, (_, place) in first.items()}


def _request(resource: Resource, opened: Connection | None) -> Request:
    begin = resource.start_s
    if begin is None:
        return Request(resource, (), None if resource.error is None else 0.0)
    spans: list[Span] = []
    now = begin
    last: Phase = "queued" if resource.request_s is None else "waiting"
    for phase, until_s in (
        *_set_up(opened, resource),
        ("queued", resource.request_s),
        ("waiting", resource.first_byte_s),
        (last if resource.first_byte_s is None else "receiving", resource.last_byte_s),
    ):
        if until_s is not None and until_s > now:
            spans.append(Span(phase, now, until_s))
            now = until_s
    return Request(resource, tuple(spans), None if resource.error is None else now)


def _set_up(opened: Connection | None, resource: Resource) -> Sequence[tuple[Phase, float | None]]:
    """The ends of the set-up's phases. A request that travels as 0-RTT data ends them: what is left of the
    handshake runs beside its answer."""
    if opened is None or opened.start_s is None:
        return ()
    sent_s = resource.request_s if resource.request_s is not None else float("inf")
    asked_s = opened.start_s if opened.resolving_s is None else opened.resolving_s
    known: list[tuple[Phase, float | None]] = [("queued", asked_s), ("dns", opened.start_s)]
    if opened.protocol == "h3":
        known.append(("quic", opened.secured_s))
    else:
        known += [("tcp", opened.connected_s), ("tls", opened.secured_s)]
    return [(phase, min(until_s, sent_s) if until_s is not None else None) for phase, until_s in known]
