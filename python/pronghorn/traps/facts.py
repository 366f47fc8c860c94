"""What is known of a site's HTTP/3: the facts that the rules judge.

None always means that nobody told: a rule then answers `Unknown`, or nothing, and never concludes from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pronghorn.model.trial import PageLoad, Resource

Times = NDArray[np.float64]

Protocol = Literal["h2", "h3"]


class Handshake(NamedTuple):
    """A QUIC handshake as its client saw it, in seconds on the load's axis: when its packets with long
    headers came and (where that is known) how many bytes each has, how long it took until the client could
    send data, and whether a Retry came (None: nobody told, and some stacks don't).
    `answer_s` is from its first packet to the server's first but for a Retry."""

    arrived_s: Times
    took_s: float | None
    retry: bool | None = None
    lengths: tuple[float, ...] | None = None
    answer_s: float | None = None


class Flow(NamedTuple):
    """What one QUIC connection brought its client.

    `round_trip_s` is the least that was seen. `arrived_s` (on the load's axis) and `sizes` (bytes of content;
    an estimate where the file has no lengths) are of the packets with content, in order of arrival.
    `lost_runs` are the lengths of the runs of packet numbers that never came, from the server to the client,
    `lost_at_s` when the packet after each came.
    `largest` is the largest datagram in bytes. `windows` are what the client allowed a stream and the whole
    connection at first; `blocked` is whether the server said that a window of the client's kept it from
    sending."""

    round_trip_s: float | None
    arrived_s: Times
    sizes: Times
    lost_runs: tuple[int, ...] | None = None
    lost_at_s: tuple[float, ...] = ()
    handshake: Handshake | None = None
    largest: int | None = None
    windows: tuple[int | None, int | None] = (None, None)
    blocked: bool | None = None

    @property
    def lost(self) -> int:
        """Packets that never came."""
        return sum(self.lost_runs or ())

    @property
    def loss(self) -> float | None:
        """Their share of all; None where packets have no numbers."""
        sent = self.lost + len(self.arrived_s)
        return self.lost / sent if self.lost_runs is not None and sent else None


@dataclass(frozen=True, eq=False)
class Visit:
    """One load of the page, which equals itself alone. `disordered` is how many of TCP's segments came out
    of order, which is about a window for each loss; `resent` how many were sent again, one for each. None
    where nobody told. `spoilt`: the machine was too busy to believe its times. `dropped_here`: datagrams that
    this machine's own receive buffers had no room for."""

    protocol: Protocol
    page: PageLoad
    flow: Flow | None = None
    disordered: int | None = None
    spoilt: bool = False
    resent: int | None = None
    dropped_here: int = 0

    @property
    def shook(self) -> bool:
        """Whether its handshake was done, however the load went on."""
        return self.page.outcome == "ok" or any(one.secured_s is not None for one in self.page.connections)

    @property
    def ok(self) -> bool:
        """Whether its times say something."""
        return self.page.outcome == "ok" and self.page.load_s is not None and not self.spoilt

    @property
    def round_trip_s(self) -> float | None:
        """The least round trip that this load saw."""
        if self.flow is not None and self.flow.round_trip_s:
            return self.flow.round_trip_s
        for one in self.page.connections:
            if self.protocol == "h2" and one.connected_s is not None and one.start_s is not None:
                return one.connected_s - one.start_s
        return None

    @property
    def largest(self) -> Resource | None:
        """Its largest response that came whole; of a load that didn't end, what its packets brought."""
        if self.page.outcome != "ok" and self.flow is not None and len(self.flow.arrived_s):
            first, last = float(self.flow.arrived_s[0]), float(self.flow.arrived_s[-1])
            content = int(self.flow.sizes.sum())
            return Resource(path="/", first_byte_s=first, last_byte_s=last, bytes=content)
        whole = [one for one in self.page.resources if one.last_byte_s is not None and one.bytes]
        return max(whole, key=lambda one: one.bytes, default=None)


class Address(NamedTuple):
    """One of the host's addresses. None: it was not tried, or this machine has no way there."""

    text: str
    tcp: bool | None
    udp: bool | None = None


class Hop(NamedTuple):
    """A response on the way to the page: its host and port, its headers Alt-Svc and Server, its status."""

    host: str
    port: int
    alt_svc: str | None
    server: str | None = None
    status: int = 200


class Offer(NamedTuple):
    """How HTTP/3 is offered, and what UDP answers at that port.

    `hops` are the redirects, the last one the page's. `record`: whether the host has an HTTPS record that
    offers h3; `record_why` says why that is not known. `port` is where h3 was tried. `answers`: whether a
    QUIC server answered there, `answers_at_url` the same at the URL's own port. `sizes`: whether datagrams
    of so many bytes were answered. `retry`: whether a new client was sent a Retry."""

    hops: tuple[Hop, ...]
    port: int
    record: bool | None = None
    record_why: str | None = None
    answers: bool | None = None
    answers_at_url: bool | None = None
    sizes: tuple[tuple[int, bool], ...] = ()
    retry: bool | None = None

    @property
    def alt_svc(self) -> str | None:
        """The page's header."""
        return self.hops[-1].alt_svc if self.hops else None

    @property
    def offered(self) -> bool | None:
        """Whether h3 is offered by either; None where the record is not known."""
        if offers_h3(self.alt_svc) or self.record:
            return True
        return None if self.record is None else False


class Tickets(NamedTuple):
    """Whether a second visit could resume a session over h3, and whether its early data was taken. `given`:
    whether the first visit got anything to resume by."""

    resumed: bool | None
    early_data: bool | None = None
    given: bool | None = None


@dataclass(frozen=True)
class Facts:
    """All that is known. `source` says of what; `lacks` what could not be found out, as sentences; `spoilt`
    how many visits a busy machine spoilt."""

    source: str
    visits: Sequence[Visit] = ()
    offer: Offer | None = None
    addresses: Sequence[Address] = ()
    tickets: Tickets | None = None
    lacks: Sequence[str] = field(default=())
    spoilt: int = 0

    def of(self, protocol: Protocol) -> list[Visit]:
        """The visits over a protocol whose times say something."""
        return [one for one in self.visits if one.protocol == protocol and one.ok]

    def tried(self, protocol: Protocol) -> list[Visit]:
        """All visits over a protocol."""
        return [one for one in self.visits if one.protocol == protocol]


def offers_h3(alt_svc: str | None) -> bool:
    """Whether a header Alt-Svc (RFC 7838) offers HTTP/3 as RFC 9114 names it."""
    return alt_svc is not None and any(
        part.strip().startswith("h3=") for part in _outside_quotes(alt_svc, ",")
    )


def alternative(alt_svc: str | None) -> tuple[str, int] | None:
    """Host (empty: the origin's) and port of the first offer of h3; None without one, or where the port is
    none."""
    for part in _outside_quotes(alt_svc or "", ","):
        name, _, value = part.strip().partition("=")
        if name == "h3":
            host, _, port = value.partition(";")[0].strip().strip('"').rpartition(":")
            if port.isdecimal() and 0 < int(port) < 2**16:
                return host.strip("[]"), int(port)
    return None


def _outside_quotes(text: str, mark: str) -> list[str]:
    """A text, cut at a mark that stands outside of quotes."""
    parts, quoted = [""], False
    for one in text:
        quoted ^= one == '"'
        if one == mark and not quoted:
            parts.append("")
        else:
            parts[-1] += one
    return parts
