"""A flight's samples as curves since the start of a load: of each connection, and of all of them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pronghorn.model.flight import Column, ConnectionFlight, Flight

HTTPS = 443
"""The origin's port on a bench. A connection to another port of the server, such as cross traffic, does not
belong to the load."""

Curve = list[tuple[float, float]]
"""Times in seconds since the load's start, ascending, each with the value that holds from then on."""

Quantity = Literal["cwnd_bytes", "in_flight_bytes", "srtt_s", "acked_bytes"]
QUANTITIES: tuple[Quantity, ...] = ("cwnd_bytes", "in_flight_bytes", "srtt_s", "acked_bytes")


class Mark(NamedTuple):
    """At a time since the load's start, how many more there were than a sample before."""

    at_s: float
    number: int


class Flown(NamedTuple):
    """What the server's ends of a load's connections did. `curves` are of single connections, `total` of all:
    the sum, of round-trip times the mean. `mss`: the bytes of the largest segment or UDP payload, of single
    connections. `lost` are segments sent again over TCP, packets given up over QUIC."""

    connections: tuple[ConnectionFlight, ...]
    curves: dict[Quantity, list[Curve]]
    total: dict[Quantity, Curve]
    mss: list[Curve]
    lost: list[Mark]
    timeouts: list[Mark]


def flown(flight: Flight, started_monotonic_s: float, end_s: float) -> Flown:
    """The server's ends from a load's start until `end_s` after it. Those of which nothing changed from then
    on are left out, unless there are no others: connections of an earlier visit, that have ended or idle."""
    ours = tuple(one for one in flight.connections if (one.host, one.local_port) == ("server", HTTPS))
    offset_s = flight.clock_base_monotonic_s - started_monotonic_s
    mine = tuple(one for one in ours if any(at + offset_s > 0 for at in one.samples.at_s)) or ours

    def curve(one: ConnectionFlight, column: Column, *, counts: bool = False) -> Curve:
        times = [at + offset_s for at in one.samples.at_s]
        return _curve(times, column, end_s, counts=counts)

    curves = {
        name: [curve(one, getattr(one.samples, name), counts=name == "acked_bytes") for one in mine]
        for name in QUANTITIES
    }
    return Flown(
        connections=mine,
        curves={name: [one for one in found if one] for name, found in curves.items()},
        total={name: together(found, mean=name == "srtt_s") for name, found in curves.items()},
        mss=[_sizes(one, offset_s, end_s) for one in mine],
        lost=_marks([curve(one, _lost(one), counts=True) for one in mine]),
        timeouts=_marks([curve(one, one.samples.timeouts, counts=True) for one in mine]),
    )


def _sizes(one: ConnectionFlight, offset_s: float, end_s: float) -> Curve:
    times = [change.at_s + offset_s for change in one.mss_changes]
    return _curve(times, [change.bytes for change in one.mss_changes], end_s, counts=False)


def _lost(one: ConnectionFlight) -> Column:
    return one.samples.lost_packets if one.transport == "quic" else one.samples.retransmits


def _curve(times_s: Sequence[float], column: Column, end_s: float, *, counts: bool) -> Curve:
    """The values between a load's start and `end_s`, that at the start included. Of what `counts` since a
    connection's beginning, what was before the start is taken off."""
    before: float | None = None
    found: Curve = []
    for at, value in zip(times_s, column, strict=False):
        if value is None or at > end_s:
            continue
        if at <= 0:
            before = value
        else:
            found.append((at, value))
    if before is not None:
        found.insert(0, (0.0, before))
    if counts:
        return [(at, value - (before or 0.0)) for at, value in found]
    return found


def together(curves: Sequence[Curve], *, mean: bool = False) -> Curve:
    """The sum of curves, or their mean; one that has not begun yet is left out."""
    changes = sorted((at, number, value) for number, curve in enumerate(curves) for at, value in curve)
    now: dict[int, float] = {}
    found: Curve = []
    for at, number, value in changes:
        now[number] = value
        level = sum(now.values()) / (len(now) if mean else 1)
        if found and found[-1][0] == at:
            found[-1] = (at, level)
        else:
            found.append((at, level))
    return found


def _marks(counts: Sequence[Curve]) -> list[Mark]:
    """When the sum of counts rose, and by how many."""
    found = []
    before = 0.0
    for at, level in together(counts):
        if level > before:
            found.append(Mark(at, round(level - before)))
        before = level
    return found
