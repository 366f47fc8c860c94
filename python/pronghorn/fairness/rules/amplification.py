"""Certificates that don't fit into what QUIC lets a server send to a client that it can't trust yet.

Until the client's address is validated a server sends at most three times the bytes that it received (RFC
9000 §8.1); a longer first flight waits a round trip more, which TCP's TLS does not. Whether it will be so is
reckoned from the certificates and the knobs: a client that offers a classical group alone sends one datagram
instead of two. Whether it was so is seen in the handshakes, where round trips are long enough to tell."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from pronghorn.fairness import first_flight
from pronghorn.fairness.group import Group
from pronghorn.knobs import effective
from pronghorn.model.caution import Caution

_TELLING_ROUND_TRIP_S = 0.02
_WAITED_ROUND_TRIPS = 1.6
"""A handshake takes one round trip, one that had to wait takes two."""


class Reckoned(NamedTuple):
    """A server's first flight, the datagrams that ask for it, and the bytes that these allow."""

    flight_bytes: int
    datagrams: int
    limit_bytes: int


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """One warning for all arms that wait for the same reason, if there are any."""
    if not groups:
        return
    found = groups[0].notes.get("certificate")
    if found is None:
        return
    waiting: dict[Reckoned, list[Group]] = {}
    for group in groups:
        reckoned = _reckoned(group, found["first_flight_bytes"])
        if reckoned.flight_bytes > reckoned.limit_bytes and _sends_certificates(group) and _waited(group):
            waiting.setdefault(reckoned, []).append(group)
    for reckoned, its in waiting.items():
        arms = ", ".join(dict.fromkeys(group.arm.name for group in its))
        asking = "one datagram" if reckoned.datagrams == 1 else "two datagrams"
        yield Caution(
            "amplification-limit",
            f"With certificates of {found['chain_bytes']} bytes, QUIC servers send about "
            f"{reckoned.flight_bytes} bytes first. The {asking} of a client's first flight allow only "
            f"{reckoned.limit_bytes} before its address is validated (RFC 9000 §8.1). So {arms} waits "
            f"one more round trip{_measured(its)}.",
            'Use a shorter chain, certificate = { key = "p256" }, or consider it when you read the verdict.',
        )


def _reckoned(group: Group, flight_bytes: int) -> Reckoned:
    """`flight_bytes` are those of an answer to X25519MLKEM768."""
    offered = effective.of_arm(group.experiment, group.cell, group.arm).key_exchange
    if offered in (None, "X25519MLKEM768"):
        return Reckoned(flight_bytes, 2, first_flight.LIMIT_BYTES)
    return Reckoned(flight_bytes - first_flight.HYBRID_BYTES, 1, 3 * first_flight.DATAGRAM_BYTES)


def _sends_certificates(group: Group) -> bool:
    return "h3" in group.arm.protocols and not group.arm.prepared


def _waited(group: Group) -> bool:
    seen = _round_trips(group)
    return seen is None or seen >= _WAITED_ROUND_TRIPS


def _measured(waiting: Sequence[Group]) -> str:
    seen = [trips for group in waiting if (trips := _round_trips(group)) is not None]
    return f" (its handshakes took {max(seen):.1f} round trips)" if seen else ""


def _round_trips(group: Group) -> float | None:
    """The median of the full handshakes over QUIC, in round trips of the path; None where that doesn't
    tell."""
    line = group.line
    if line is None or line.round_trip_s < _TELLING_ROUND_TRIP_S:
        return None
    took = [
        one.secured_s - one.start_s
        for trial in group.loads
        for one in (trial.page.connections if trial.page else [])
        if one.protocol == "h3" and not one.resumed and one.secured_s is not None and one.start_s is not None
    ]
    return median(took) / line.round_trip_s if took else None
