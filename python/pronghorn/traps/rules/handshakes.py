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

_LEAST_S = 0.005
"""A pause that is shorter may be the server's cryptography, and is worth nothing."""

_STOPPED = 2.5
"""Times the client's first datagram, of three that are allowed: the server stopped for want of more."""

_ANEW = 300
"""Bytes: what came late is more of the certificate, no acknowledgement."""

_FULL = 3
"""Packets of 1200 bytes that a server may send before it has heard of the client again (RFC 9000 §8.1). A
HelloRetryRequest (RFC 8446 §4.1.4), which costs a round trip as well, is one packet."""

_LEAST = 1200
"""Every QUIC path carries datagrams of so many bytes (RFC 9000 §14)."""


_SILENT = ("timeout", "connect")
"""What a load says of which no handshake came to an end, as it does where its packets die."""


def mtu(facts: Facts) -> Finding | Unknown | None:
    """No handshake succeeds, each ends for want of time, and larger datagrams are not answered where short
    ones are. Only a server that takes h3 in short datagrams is known to be reachable at all."""
    offer = facts.offer
    if offer is None or not offer.sizes or not facts.tried("h3"):
        return None
    if any(one.shook or one.page.reason not in _SILENT for one in facts.tried("h3")):
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
    if shake.took_s < max(_LONGER * trip_s, trip_s + _LEAST_S):
        return False
    since = shake.arrived_s - shake.arrived_s[0]
    first, late = since < _SOON * trip_s, (since >= _SOON * trip_s) & (since < _LATE * trip_s)
    if shake.lengths is not None:
        lengths = np.array(shake.lengths)
        return bool(lengths[first].sum() >= _STOPPED * _LEAST and lengths[late].sum() >= _ANEW)
    return int(np.count_nonzero(first)) >= _FULL and bool(np.count_nonzero(late))


def _retried(flow: Flow, probed: bool) -> bool | None:
    """Whether a connection got a Retry: its log says so, or its answer came a round trip late where a single
    packet got one."""
    shake, trip_s = flow.handshake, flow.round_trip_s
    if shake is None or shake.retry:
        return None if shake is None else True
    if shake.answer_s is None or not trip_s:
        return None
    late = shake.answer_s >= _LONGER * trip_s
    return (True if probed else None) if late else False


def retry(facts: Facts) -> Finding | Unknown | None:
    """A Retry is a packet of its own (RFC 9000 §17.2.5): it was seen or not."""
    probed = facts.offer is not None and facts.offer.retry is True
    known = [one for _, flow in flows(facts) if (one := _retried(flow, probed)) is not None]
    if not mostly(known):
        why = "a single packet without a ClientHello got a Retry; no visit shows one"
        return Unknown(catalogue.RETRY, why) if probed else None
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
    if told.given is None:
        return Unknown(catalogue.NO_TICKETS, "whether the first connection got a ticket isn't known")
    gave = "gave a ticket that the next one couldn't use" if told.given else "gave no ticket"
    return Finding(catalogue.NO_TICKETS, f"twice a connection {gave}.")
