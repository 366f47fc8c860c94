"""A page load's time, divided: each moment from its start to its end belongs to one part."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pronghorn.model.arrivals import Arrivals
from pronghorn.model.trial import PageLoad
from pronghorn.model.why import PARTS, Part, Why
from pronghorn.why import head_of_line, response, setup
from pronghorn.why.chain import Link, Opening, chain, opening
from pronghorn.why.requests import Carried, carriers
from pronghorn.why.spans import Spans, together
from pronghorn.why.wire import Wire

_PLAIN: Mapping[str, Part] = {"lookup": "lookup", "client": "client", "unknown": "other"}
"""The parts of a link of the chain that nothing more is known about."""

_BITS = 8

_SLACK_S = 0.005
"""What began this long before the client can have begun belongs to another load, such as one beside the
page's."""


def divide(
    page: PageLoad,
    arrivals: Arrivals | None,
    *,
    down_bit_per_s: float | None = None,
    missing: str | None = None,
) -> Why:
    """The parts of a load, and its head-of-line waits. `down_bit_per_s` is the bottleneck's rate towards the
    client, None where there is none; `missing` says why there are no arrivals, as a clause.

    Without arrivals, or of a connection that was not decrypted, the wait for an answer is told as `other`; a
    load that failed, or is many requests rather than a page, has no parts."""
    if page.load_s is None or page.outcome != "ok":
        return Why(reason="the load failed")
    if page.report is not None:
        return Why(reason="it is a load of many requests, not a page's")
    told = arrivals is not None and page.started_monotonic_s is not None
    if arrivals is None or page.started_monotonic_s is None:
        wires: list[Wire] = []
        reason = missing or "the client doesn't report when the load began" if arrivals else missing
    else:
        since_s = arrivals.since(page.started_monotonic_s)
        per_byte_s = _BITS / down_bit_per_s if down_bit_per_s else 0.0
        seen = [Wire(one, since_s, per_byte_s) for one in arrivals.connections if len(one.packets)]
        wires = [one for one in seen if one.began_s >= -page.ahead_s - _SLACK_S]
        reason = _incomplete(arrivals)
    carried = carriers(page.resources, wires)
    links = chain(page, _openings(page, carried))
    parts = _parts(links, page, carried, wires)
    used = {id(one.wire): one.wire.connection for one in carried.values()}
    waits = head_of_line.waits(list(used.values())) if told else None
    return Why(parts=parts, head_of_line=waits, reason=reason)


def _incomplete(arrivals: Arrivals) -> str | None:
    """Why some of a load can't be told apart, or None."""
    if arrivals.missing_records:
        return f"{arrivals.missing_records} packets are missing from the path's records"
    return next((one.why_not for one in arrivals.connections if one.why_not is not None), None)


def _openings(page: PageLoad, carried: Mapping[int, Carried]) -> dict[int, Opening]:
    """Those of the page's connections. Where the client doesn't tell, the path knows the first packet, and
    the client's first request could go."""
    found: dict[int, Opening] = {}
    for number, connection in enumerate(page.connections):
        if (told := opening(connection)) is not None:
            found[number] = told
    for place, one in sorted(carried.items(), key=lambda item: item[1].sent_s):
        resource = page.resources[place]
        if resource.connection is None or resource.connection in found or resource.request_s is None:
            continue
        found[resource.connection] = Opening(None, one.wire.began_s, resource.request_s)
    return found


def _parts(
    links: Sequence[Link], page: PageLoad, carried: Mapping[int, Carried], wires: Sequence[Wire]
) -> dict[Part, float]:
    of_connection = {
        page.resources[place].connection: one.wire for place, one in sorted(carried.items(), reverse=True)
    }
    busy: Spans = together(wire.busy for wire in wires)
    total: defaultdict[Part, float] = defaultdict(float)
    for link in links:
        for part, seconds in _of(link, page, carried, of_connection, busy).items():
            total[part] += seconds
    return {part: total[part] for part in PARTS}


def _of(
    link: Link,
    page: PageLoad,
    carried: Mapping[int, Carried],
    of_connection: Mapping[int | None, Wire],
    busy: Spans,
) -> Mapping[Part, float]:
    if link.kind == "set-up" and link.place is not None:
        number = page.resources[link.place].connection
        return setup.divide(of_connection.get(number), link.from_s, link.to_s)
    if link.kind == "answer" and link.place is not None:
        if link.place not in carried:
            return {"other": link.to_s - link.from_s}
        return response.divide(carried[link.place], link.from_s, link.to_s, busy)
    return {_PLAIN.get(link.kind, "other"): link.to_s - link.from_s}
