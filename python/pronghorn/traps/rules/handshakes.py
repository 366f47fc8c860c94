"""What a connection over HTTP/3 costs before its first request, and whether it comes about."""

import numpy as np

from pronghorn.analysis.numbers import count, listed
from pronghorn.traps import catalogue
from pronghorn.traps.compared import flows, mostly, round_trip_s
from pronghorn.traps.facts import Facts, Flow
from pronghorn.traps.finding import Finding, Unknown

_SOON = 0.5
"""Of a round trip: packets that came later were not sent together with the first."""

_LONGER = 1.5
"""Round trips that the handshake has to take: some servers acknowledge its end in a packet of its own, a
round trip later, for which nobody waits."""

_LATE = 2.0
"""Round trips: a later packet was lost before, or the server was slow."""

_FULL = 3
"""Packets of 1200 bytes that a server may send before it has heard of the client again (RFC 9000 §8.1). A
HelloRetryRequest (RFC 8446 §4.1.4), which costs a round trip as well, is one packet."""

_LEAST = 1200
"""Every QUIC path carries datagrams of so many bytes (RFC 9000 §14)."""


def mtu(facts: Facts) -> Finding | Unknown | None:
    """No visit comes through, and larger datagrams are not answered where short ones are. Only a server that
    takes h3 in short datagrams is known to be reachable at all."""
    offer = facts.offer
    if offer is None or not offer.sizes or not facts.tried("h3"):
        return None
    if any(one.page.outcome == "ok" for one in facts.tried("h3")):
        return None
    short = [size for size, answered in offer.sizes if answered]
    dead = [size for size, answered in offer.sizes if not answered]
    if not short or not dead or min(dead) < max(short):
        return None
    said = f"UDP datagrams of {max(short)} bytes were answered, of {listed([str(one) for one in dead])} not"
    return Finding(catalogue.MTU, f"{said}; {count(len(facts.tried('h3')), 'visit')} over h3 failed.")


def amplification(facts: Facts) -> Finding | Unknown | None:
    """In most visits the server's handshake came in two parts, a round trip apart, the first of at least
    three packets."""
    seen = [one for _, flow in flows(facts) if (one := _pauses(flow)) is not None]
    if not seen or not mostly(seen):
        return None
    trip_s = round_trip_s(facts, "h3")
    return Finding(
        catalogue.AMPLIFICATION,
        f"in {sum(seen)} of {count(len(seen), 'handshake')} the server stopped after three or more packets "
        "and went on a round trip later.",
        trip_s,
    )


def _pauses(flow: Flow) -> bool | None:
    shake, trip_s = flow.handshake, flow.round_trip_s
    if shake is None or not trip_s or not len(shake.arrived_s) or shake.retry or shake.took_s is None:
        return None
    if shake.took_s < _LONGER * trip_s:
        return False
    since = shake.arrived_s - shake.arrived_s[0]
    together = int(np.count_nonzero(since < _SOON * trip_s))
    later = np.count_nonzero((since >= _SOON * trip_s) & (since < _LATE * trip_s))
    return together >= _FULL and bool(later)


def retry(facts: Facts) -> Finding | Unknown | None:
    """A Retry is a packet of its own (RFC 9000 §17.2.5): it was seen or not."""
    told = [flow.handshake.retry for _, flow in flows(facts) if flow.handshake is not None]
    probed = facts.offer is not None and facts.offer.retry is True
    if not probed and not mostly(one is True for one in told):
        return None
    return Finding(
        catalogue.RETRY, "a client that came for the first time got a Retry.", round_trip_s(facts, "h3")
    )


def no_tickets(facts: Facts) -> Finding | Unknown | None:
    """A second connection could not resume the first one's session."""
    told = facts.tickets
    if told is None or not facts.of("h3"):
        return None
    if told.resumed is None:
        return Unknown(catalogue.NO_TICKETS, "the second connection failed")
    if told.resumed:
        return None
    return Finding(
        catalogue.NO_TICKETS, "after a first visit there was no session to resume.", round_trip_s(facts, "h3")
    )
