"""What a request did when: its time cut into phases, and the connection's set-up given to the request that
opened it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pronghorn.model.trial import Connection, PageLoad, Resource

Phase = Literal["queued", "dns", "tcp", "tls", "quic", "wait", "download"]
PHASES: dict[Phase, str] = {
    "queued": "queued",
    "dns": "DNS",
    "tcp": "TCP connect",
    "tls": "TLS",
    "quic": "QUIC handshake",
    "wait": "wait for the first byte",
    "download": "download",
}
"""The phases in the order in which a request goes through them, each with what the legend calls it."""


class Span(NamedTuple):
    """One phase of a request, in seconds since the navigation's start."""

    phase: Phase
    from_s: float
    to_s: float


class Request(NamedTuple):
    """A resource's phases in their order, and `broke_s`, when a failed one was last heard of (else None)."""

    resource: Resource
    spans: tuple[Span, ...]
    broke_s: float | None


def requests(page: PageLoad) -> list[Request]:
    """The load's requests in the order in which they were found, those without a time last."""
    opened = _openers(page)
    found = [_request(resource, opened.get(place)) for place, resource in enumerate(page.resources)]
    return sorted(found, key=lambda each: (each.resource.start_s is None, each.resource.start_s or 0.0))


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
    last: Phase = "queued" if resource.request_s is None else "wait"
    for phase, until_s in (
        *_set_up(opened, resource),
        ("queued", resource.request_s),
        ("wait", resource.first_byte_s),
        (last if resource.first_byte_s is None else "download", resource.last_byte_s),
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
