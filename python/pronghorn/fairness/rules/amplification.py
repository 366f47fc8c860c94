"""Certificates that don't fit into what QUIC lets a server send to a client that it can't trust yet.

Until the client's address is validated a server sends at most three times the bytes that it received (RFC
9000 §8.1); a longer first flight waits a round trip more, which TCP's TLS does not. Whether it will be so is
reckoned from the certificates; whether it was so is seen in the handshakes, where round trips are long enough
to tell."""

from collections.abc import Iterator, Sequence
from statistics import median

from pronghorn.execute.caution import Caution
from pronghorn.fairness import first_flight
from pronghorn.fairness.group import Group

_TELLING_ROUND_TRIP_S = 0.02
_WAITED_ROUND_TRIPS = 1.6
"""A handshake takes one round trip, one that had to wait takes two."""


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """One warning for all arms that wait, if there are any."""
    if not groups:
        return
    found = groups[0].notes.get("certificate")
    if found is None or found["first_flight_bytes"] <= first_flight.LIMIT_BYTES:
        return
    waiting = [group for group in groups if _sends_certificates(group) and _waited(group)]
    if waiting:
        arms = ", ".join(dict.fromkeys(group.arm.name for group in waiting))
        yield Caution(
            "amplification-limit",
            f"The certificates ({found['chain_bytes']} bytes) make QUIC's servers send about "
            f"{found['first_flight_bytes']} bytes first, but the two datagrams of a client's first flight "
            f"allow only {first_flight.LIMIT_BYTES} before its address is validated (RFC 9000 §8.1): {arms} "
            f"waits a round trip longer{_measured(waiting)}.",
            'Bear it in mind, or use a shorter chain: certificate = { key = "p256" }.',
        )


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
