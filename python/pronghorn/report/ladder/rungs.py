"""A connection's beginning as rungs between client and server, and how long its phases took."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pronghorn.model.arrivals import IN_FLIGHT, UP, Arrivals, Connection, Unreadable

FIRST_BYTE = "first byte of the response"
_BEGINNINGS = frozenset({"SYN", "ClientHello"})


class Rung(NamedTuple):
    """One packet: when it left and when it arrived (None: dropped, for the reason `fate`), in seconds since
    the load's start; `says` are its messages, `kind` its packet type, `size` the bytes of the IP packet."""

    up: bool
    sent_s: float
    arrived_s: float | None
    says: tuple[str, ...]
    kind: str
    size: int
    fate: str | None
    again: bool


class Phase(NamedTuple):
    """A part of the beginning as the client saw it, in seconds since the load's start."""

    name: str
    from_s: float
    to_s: float


class Ladder(NamedTuple):
    """The beginning of one connection. `way_s` is the middle of its packets' times on the way. `others` is
    how many more connections the load had."""

    protocol: str
    over_quic: bool
    rungs: tuple[Rung, ...]
    phases: tuple[Phase, ...]
    way_s: float
    others: int

    @property
    def begin_s(self) -> float:
        """When its first packet left."""
        return min(rung.sent_s for rung in self.rungs)

    @property
    def end_s(self) -> float:
        """When the last of its packets arrived."""
        return max(rung.sent_s if rung.arrived_s is None else rung.arrived_s for rung in self.rungs)


def ladder(found: Arrivals, offset_s: float) -> Ladder:
    """The ladder of the connection of a load's first request; `offset_s` is added to times. Packets that were
    still on their way when the recording ended are left out. Unreadable where there is none to be seen."""
    if found.missing_records:
        raise Unreadable(f"{found.missing_records} packets were not recorded, so its arrivals have gaps")
    if not found.connections:
        raise Unreadable("the path saw none of its connections")
    first = min(found.connections, key=_asked_s)
    if not first.handshake:
        raise Unreadable(f"its handshake could not be read{': ' + first.why_not if first.why_not else ''}")
    rungs = tuple(
        _rung(first, one.packet, one.says, offset_s)
        for one in first.handshake
        if first.packets.fate[one.packet] != IN_FLIGHT
    )
    if not rungs:
        raise Unreadable("its handshake had not arrived when the recording ended")
    if not any(_BEGINNINGS & set(rung.says) for rung in rungs):
        raise Unreadable("its connection was established before the load")
    ways = [rung.arrived_s - rung.sent_s for rung in rungs if rung.arrived_s is not None]
    return Ladder(
        protocol=first.protocol or "not decrypted",
        over_quic=first.transport == "quic",
        rungs=rungs,
        phases=tuple(_phases(rungs, over_quic=first.transport == "quic")),
        way_s=float(np.median(ways)) if ways else 0.0,
        others=len(found.connections) - 1,
    )


def _asked_s(connection: Connection) -> tuple[float, float]:
    """When its first request left, and when its first packet did."""
    asked = [one.request_sent_s for one in connection.streams if one.request_sent_s is not None]
    sent_s = float(connection.packets.sent_s[0]) if len(connection.packets) else math.inf
    return min(asked, default=math.inf), sent_s


def _rung(connection: Connection, index: int, says: tuple[str, ...], offset_s: float) -> Rung:
    packets = connection.packets
    arrived_s = float(packets.arrived_s[index])
    return Rung(
        up=int(packets.direction[index]) == UP,
        sent_s=float(packets.sent_s[index]) + offset_s,
        arrived_s=None if math.isnan(arrived_s) else arrived_s + offset_s,
        says=says,
        kind=packets.kind[index],
        size=int(packets.bytes[index]),
        fate=packets.fate[index],
        again=bool(packets.again[index]),
    )


def _phases(rungs: tuple[Rung, ...], *, over_quic: bool) -> Iterable[Phase]:
    """The handshakes, and the round trip of the request. Whoever can't know when one ended leaves it out.

    TLS is over for the client when it has sent its own Finished (TLS 1.3, RFC 8446 §2) or has the server's
    (TLS 1.2, RFC 5246 §7.3), whichever is later: each answers the other's.
    """
    connected_s: float | None = None
    if not over_quic:
        begun_s, connected_s = _sent(rungs, "SYN"), _received(rungs, "SYN ACK")
        if begun_s is not None and connected_s is not None:
            yield Phase("TCP", begun_s, connected_s)
    hello_s = _sent(rungs, "ClientHello")
    ends = [_received(rungs, "Finished"), _sent(rungs, "Finished")]
    known = [end for end in ends if end is not None]
    from_s = hello_s if over_quic else connected_s
    if hello_s is not None and from_s is not None and ends[0] is not None:
        yield Phase("QUIC" if over_quic else "TLS", from_s, max(known))
    asked_s, answered_s = _sent(rungs, "request"), _received(rungs, FIRST_BYTE)
    if asked_s is not None and answered_s is not None:
        yield Phase("request", asked_s, answered_s)


def _sent(rungs: Iterable[Rung], message: str) -> float | None:
    """When the client first sent a message."""
    return min((rung.sent_s for rung in rungs if rung.up and message in rung.says), default=None)


def _received(rungs: Iterable[Rung], message: str) -> float | None:
    """When the client first received one."""
    times = [rung.arrived_s for rung in rungs if not rung.up and message in rung.says]
    return min((time for time in times if time is not None), default=None)
