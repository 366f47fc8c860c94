"""Visits as networks and servers make them, computed: what came when."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.model.trial import Connection, PageLoad, Resource
from pronghorn.traps.facts import (
    Address,
    Facts,
    Flow,
    Handshake,
    Hop,
    Offer,
    Protocol,
    Tickets,
    Times,
    Visit,
)

TRIP_S = 0.06
WIDE = 50e6 / 8
_PACKET = 1400
_FIRST_WINDOW = 10 * _PACKET
CHROMIUM = (6 * 2**20, 15 * 2**20)

SOUND = Offer(
    (Hop("www.example.org", 443, 'h3=":443"; ma=86400'),), 443, False, None, True, True,
    ((1200, True), (1350, True), (1452, True)), False,
)  # fmt: skip


class Way(NamedTuple):
    """A network and a server: bytes a second of the narrowest link, the least round trip, the most bytes in
    a round trip (None: as the congestion window has it), how long the application takes, how much it writes
    at a time and how long it then waits, and the share of packets lost."""

    rate: float = WIDE
    trip_s: float = TRIP_S
    window: float | None = None
    server_s: float = 0.0
    chunk: tuple[int, float] | None = None
    loss: float = 0.0


_PLAIN = Way()


def visit(protocol: Protocol, way: Way = _PLAIN, size: int = 3_000_000, seed: int = 1) -> Visit:
    """A load of one large document over this."""
    set_up = way.trip_s * (2 if protocol == "h2" else 1)
    first = set_up + way.trip_s + way.server_s
    arrived = _arrivals(way, size) + first
    rng = random.Random(seed)
    lost = [place for place in range(1, len(arrived) - 1) if rng.random() < way.loss]
    one = Resource(
        path="/", kind="document", urgency=0, bytes=size, connection=0, start_s=0.0, request_s=set_up,
        first_byte_s=first, last_byte_s=float(arrived[-1]),
    )  # fmt: skip
    opened = Connection(start_s=0.0, connected_s=way.trip_s, secured_s=set_up)
    page = PageLoad(outcome="ok", load_s=float(arrived[-1]), resources=[one], connections=[opened])
    if protocol == "h2":
        in_a_trip = int(way.rate * way.trip_s / _PACKET) + 1
        return Visit("h2", page, disordered=in_a_trip * len(lost))
    came = np.delete(arrived, lost)
    shake = Handshake(
        np.array([way.trip_s, way.trip_s + 0.0005, way.trip_s + 0.001]), way.trip_s, None, None, way.trip_s
    )
    runs, after = runs_of(lost, arrived)
    sizes = np.full(len(came), float(_PACKET))
    return Visit("h3", page, Flow(way.trip_s, came, sizes, runs, after, shake, 1452, CHROMIUM, None))


def runs_of(lost: Sequence[int], arrived: Times) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Runs of lost packets, and when the one after each came."""
    if not lost:
        return (), ()
    parts = np.split(np.array(lost), np.flatnonzero(np.diff(lost) > 1) + 1)
    return tuple(len(one) for one in parts), tuple(float(arrived[int(one[-1]) + 1]) for one in parts)


def facts(h2: Way = _PLAIN, h3: Way = _PLAIN, *, offer: Offer | None = SOUND, size: int = 3_000_000) -> Facts:
    """Three visits over each protocol, of which all is known."""
    visits = [visit("h2", h2, size, seed) for seed in range(3)]
    visits += [visit("h3", h3, size, seed) for seed in range(10, 13)]
    alive, tickets = (Address("192.0.2.1", True, True),), Tickets(True, True, True)
    return Facts("https://www.example.org/", visits, offer, alive, tickets)


def _arrivals(way: Way, size: int) -> Times:
    """When each packet comes, from the first on: a window that doubles until the link is full, or that stops
    at a bound."""
    times: list[float] = []
    window, round_at, now, left = float(_FIRST_WINDOW), 0.0, 0.0, size
    written = way.chunk[0] if way.chunk else size
    while left > 0:
        bound = min(window, way.window or window)
        for _ in range(max(int(min(bound, left, written) // _PACKET), 1)):
            now = max(now, round_at) + _PACKET / way.rate
            times.append(now)
            left -= _PACKET
            written -= _PACKET
        round_at += way.trip_s
        window *= 2
        if written <= 0 and way.chunk:
            written = way.chunk[0]
            round_at = now = max(round_at, now) + way.chunk[1]
    return np.array(times)
