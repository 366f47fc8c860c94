"""The time from a request until its answer was there, given to its parts.

It is told from its end: the client had the last byte when all before it on its transport were there; the last
one to arrive had been dropped first, or waited at the bottleneck, or its sender had waited for something.
"""

from typing import NamedTuple

import numpy as np

from pronghorn.model.arrivals import DOWN, UP
from pronghorn.model.why import Part
from pronghorn.why import flow_control
from pronghorn.why.ledger import Ledger
from pronghorn.why.requests import Carried, of_stream
from pronghorn.why.spans import Spans, Times, Truths, span, spans
from pronghorn.why.wire import Wire

_ROUNDED_S = 2e-6

_ANSWER_S = 0.002
"""A sender that had waited for an acknowledgement continues within this time, however short the round trip.
"""

_FULL_BYTES = 1000
"""No window is smaller than a full packet (RFC 5681 §3.1; RFC 9002 §7.2): who has fewer bytes than this in
flight before an answer begins, such as tickets, does not wait for it."""


class _Last(NamedTuple):
    """The bytes of an answer that arrived last. `sent_s` is when they first left, `due_s` when they would
    have been there had they not been dropped, `arrived_s` when they were, `released_s` when the client could
    have them; `delay_s` is the path's delay on that way."""

    sent_s: float
    due_s: float
    arrived_s: float
    released_s: float
    delay_s: float


def divide(carried: Carried, from_s: float, to_s: float, busy: Spans) -> dict[Part, float]:
    """The parts of the time from when the client made a request until `to_s`, when it had what it needed of
    the answer. `busy` is when the bottleneck down had the page's packets."""
    ledger = Ledger(from_s, to_s)
    last, first = _last(carried, to_s), _first(carried)
    if last is None or first is None:
        ledger.enter("bandwidth", busy)
        return ledger.close("other")
    ledger.enter("client", span(from_s, carried.sent_s))
    ledger.enter("client", span(last.released_s, to_s))
    there_s = _request(ledger, carried, first)
    ledger.enter("bandwidth", busy)
    ledger.enter("head_of_line", span(last.arrived_s, last.released_s))
    ledger.enter("recovery", span(last.due_s, last.arrived_s))
    ledger.enter("bandwidth", span(last.sent_s + last.delay_s, last.due_s))
    _sender(ledger, carried, last, there_s, first.sent_s)
    return ledger.close("other")


def _last(carried: Carried, to_s: float) -> _Last | None:
    """Of what the client had by `to_s`; None where nothing of the answer is told."""
    wire, places = carried.wire, of_stream(carried)
    pieces = wire.connection.pieces
    had = places[pieces.released_s[places] + wire.since_s <= to_s + _ROUNDED_S]
    return _seen(wire, had, int(np.argmax(pieces.arrived_s[had]))) if len(had) else None


def _first(carried: Carried) -> _Last | None:
    places = of_stream(carried)
    return _seen(carried.wire, places[:1], 0) if len(places) else None


def _seen(wire: Wire, places: np.ndarray[tuple[int], np.dtype[np.int64]], which: int) -> _Last:
    """The piece at `which` of `places`, which are all that the client needed."""
    pieces = wire.connection.pieces
    piece, since_s = int(places[which]), wire.since_s
    arrived_s = float(pieces.arrived_s[piece]) + since_s
    sent_s = float(pieces.first_sent_s[piece]) + since_s
    packet, due_s = int(pieces.packet[piece]), arrived_s
    if pieces.first_fate[piece] is not None:
        dropped = [one for one in wire.at(sent_s, DOWN) if not wire.delivered[one]]
        if dropped:
            due_s = min(arrived_s, float(wire.due_s(np.array(dropped[:1]))[0]))
    waited_s = float(wire.waited_s[packet])
    return _Last(
        sent_s=sent_s,
        due_s=due_s,
        arrived_s=arrived_s,
        released_s=float(pieces.released_s[places].max()) + since_s,
        delay_s=max(0.0, min(due_s - sent_s, max(due_s - sent_s - waited_s, wire.least_delay_s(DOWN)))),
    )


def _request(ledger: Ledger, carried: Carried, first: _Last) -> float:
    """Enters the request's way to the server, and the way of the answer's first byte; gives when the request
    was there, by the server's clock."""
    wire, delay_s = carried.wire, first.delay_s
    packet = _asking(wire, carried.sent_s, first.sent_s)
    if packet is None:
        there_s = carried.sent_s + wire.least_delay_s(UP)
        ledger.enter("request", span(carried.sent_s, there_s + delay_s))
        return there_s
    due_s = float(wire.due_s(np.array([packet]))[0])
    arrived_s = due_s if wire.delivered[packet] else wire.repaired_s(packet) or due_s
    there_s = max(arrived_s, _behind_s(wire, packet))
    queued_s = float(wire.packets.queued_s[packet])
    ledger.enter("bandwidth", span(due_s - queued_s + delay_s, due_s + delay_s))
    ledger.enter("recovery", span(due_s + delay_s, arrived_s + delay_s))
    tcp = wire.connection.transport == "tcp"
    ledger.enter("head_of_line" if tcp else "recovery", span(arrived_s + delay_s, there_s + delay_s))
    ledger.enter("request", span(carried.sent_s, there_s + delay_s))
    return there_s


def _asking(wire: Wire, sent_s: float, answered_s: float) -> int | None:
    """Which of the packets that were sent together brought the request: one that was dropped where it was
    sent again before the answer began, else the last of those that arrived."""
    packets = wire.at(sent_s, UP)
    dropped = [one for one in packets if not wire.delivered[one]]
    again = [one for one in dropped if (wire.repaired_s(one) or np.inf) <= answered_s + _ROUNDED_S]
    arrived = [one for one in packets if wire.arrived_s[one] <= answered_s + _ROUNDED_S]
    return next(iter([*again, *arrived[::-1], *packets]), None)


def _behind_s(wire: Wire, packet: int) -> float:
    """When what the client had sent earlier and was dropped had arrived, as far as the server could not go on
    without it: over TCP everything, over QUIC the handshake."""
    way = wire.way(UP)
    dropped = way[(wire.sent_s[way] < wire.sent_s[packet]) & wire.missed[way]]
    tcp = wire.connection.transport == "tcp"
    repairs = [
        wire.repaired_s(int(one))
        for one in dropped
        if tcp or wire.packets.kind[one] not in ("1-RTT", "0-RTT")
    ]
    return max((one for one in repairs if one is not None), default=-np.inf)


def _sender(ledger: Ledger, carried: Carried, last: _Last, there_s: float, answered_s: float) -> None:
    """Enters what the server waited for from when the request was there until it first sent the last bytes;
    the answer began at `answered_s`. Its clock is early by the path's delay."""
    wire, delay_s = carried.wire, last.delay_s
    ledger.enter("recovery", wire.repairing.later(delay_s))
    ledger.enter("flow_control", flow_control.blocked(wire, carried.stream).later(delay_s))
    ends_s = wire.sends_s[(wire.sends_s > there_s) & (wire.sends_s <= last.sent_s + _ROUNDED_S)]
    if not len(ends_s):
        return
    begins_s = np.concatenate(([there_s], ends_s[:-1]))
    idle = (ends_s <= answered_s + _ROUNDED_S) & (wire.in_flight_bytes(begins_s) < _FULL_BYTES)
    waits = _waits(wire, begins_s, ends_s) & ~idle
    ledger.enter("congestion", spans(begins_s[waits], ends_s[waits]).later(delay_s))
    ledger.enter("server", spans(begins_s[~waits], ends_s[~waits]).later(delay_s))


def _waits(wire: Wire, begins_s: Times, ends_s: Times) -> Truths:
    """In which pauses between two sendings the sender waited to hear: something was unacknowledged until just
    before the second, or, for it may send at a pace, until less than a round trip before. Else it had nothing
    to send."""
    until_s = wire.unacknowledged.end_s(begins_s)
    round_trip_s = wire.least_delay_s(DOWN) + wire.least_delay_s(UP)
    idle_s = ends_s - np.minimum(until_s, ends_s)
    return (until_s > begins_s) & (idle_s <= max(_ANSWER_S, round_trip_s))
