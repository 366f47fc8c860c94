"""Arrivals made by hand: a connection packet by packet, as the engine's file would tell it.

Who makes one says what was sent, when, and what became of it; offsets, and when bytes were released, follow
from the transport's rules.
"""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pronghorn.model.arrivals import DOWN, UP, Arrivals

HEADERS = {"tcp": 52, "quic": 60}
"""What a packet has beside its payload, in bytes."""


@dataclass
class _Bytes:
    """Bytes of a stream, in the order in which they were first sent."""

    stream: int
    offset: int
    length: int
    first_sent_s: float
    first_fate: str | None
    packet: int | None
    arrived_s: float | None


@dataclass
class MadeConnection:
    """A connection in the making; every method that sends gives the packet's index."""

    transport: str = "quic"
    protocol: str = "h3"
    client: str = "10.0.0.1:50000"
    server: str = "10.0.0.2:443"
    why_not: str | None = None
    packets: list[dict[str, Any]] = field(default_factory=list)
    handshake: list[dict[str, Any]] = field(default_factory=list)
    streams: list[dict[str, Any]] = field(default_factory=list)
    limits: list[dict[str, Any]] = field(default_factory=list)
    _sent: list[_Bytes] = field(default_factory=list)

    def packet(
        self,
        direction: int,
        sent_s: float,
        arrived_s: float | None,
        *,
        size: int = 100,
        kind: str | None = None,
        fate: str | None = None,
        queued_s: float = 0.0,
        again: bool = False,
        says: tuple[str, ...] = (),
    ) -> int:
        """A packet without bytes of a stream; one that never arrives was lost unless `fate`
        says otherwise."""
        index = len(self.packets)
        self.packets.append(
            {
                "direction": direction,
                "sent_s": sent_s,
                "arrived_s": arrived_s,
                "bytes": size,
                "queued_s": queued_s,
                "fate": fate or ("loss" if arrived_s is None else None),
                "kind": kind or ("ACK" if self.transport == "tcp" else "1-RTT"),
                "again": again,
            }
        )
        if says:
            self.handshake.append({"packet": index, "says": list(says)})
        return index

    def request(self, stream: int, path: str, sent_s: float, arrived_s: float, *, method: str = "GET") -> int:
        """A request for `path`."""
        self.streams.append({"id": stream, "method": method, "path": path, "request_sent_s": sent_s})
        says = () if len(self.streams) > 1 else ("request",)
        kind = "data" if self.transport == "tcp" else "1-RTT"
        return self.packet(UP, sent_s, arrived_s, kind=kind, says=says)

    def down(
        self,
        stream: int,
        length: int,
        sent_s: float,
        arrived_s: float | None,
        *,
        fate: str | None = None,
        queued_s: float = 0.0,
        says: tuple[str, ...] = (),
    ) -> int:
        """The next `length` bytes of a stream, in a packet of their own."""
        packet = self.packet(
            DOWN,
            sent_s,
            arrived_s,
            size=length + HEADERS[self.transport],
            kind="data" if self.transport == "tcp" else "1-RTT",
            fate=fate,
            queued_s=queued_s,
            says=says,
        )
        offset = sum(one.length for one in self._sent if one.stream == stream)
        lost = self.packets[packet]["fate"] if arrived_s is None else None
        here = packet if arrived_s is not None else None
        self._sent.append(_Bytes(stream, offset, length, sent_s, lost, here, arrived_s))
        return packet

    def again(self, packet: int, sent_s: float, arrived_s: float | None, *, queued_s: float = 0.0) -> int:
        """The bytes of an earlier packet, sent once more."""
        first = self.packets[packet]
        index = self.packet(
            DOWN,
            sent_s,
            arrived_s,
            size=first["bytes"],
            kind=first["kind"],
            queued_s=queued_s,
            again=True,
        )
        if arrived_s is not None:
            for one in self._sent:
                if one.packet is None and one.first_sent_s == first["sent_s"]:
                    one.packet, one.arrived_s = index, arrived_s
        return index

    def ack(self, sent_s: float, arrived_s: float) -> int:
        """An acknowledgement by the client."""
        return self.packet(UP, sent_s, arrived_s, size=HEADERS[self.transport])

    def limit(self, scope: str, at_s: float, offset: int) -> None:
        """What the sender learns at `at_s` that it may send up to."""
        self.limits.append({"at_s": at_s, "scope": scope, "offset": offset})

    def told(self, index: int) -> dict[str, Any]:
        """It as the file has it."""
        return {
            "index": index,
            "transport": self.transport,
            "client": self.client,
            "server": self.server,
            "protocol": self.protocol,
            "undecrypted": 0,
            "why_not": self.why_not,
            "packets": _columns(self.packets, tuple(_PACKET)),
            "handshake": self.handshake,
            "streams": self.streams,
            "pieces": _columns(self._pieces(), _PIECE),
            "limits": _columns(self.limits, ("at_s", "scope", "offset")),
        }

    def _pieces(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for place, one in enumerate(self._sent):
            if one.arrived_s is None:
                continue
            earlier = self._sent[: place + 1]
            own = _last_arrival([other for other in earlier if other.stream == one.stream])
            released = _last_arrival(earlier) if self.transport == "tcp" else own
            if own is None or released is None:
                raise ValueError("bytes without which others can't be released never arrive; send them again")
            found.append(
                {
                    "stream": one.stream,
                    "offset": one.offset,
                    "length": one.length,
                    "packet": one.packet,
                    "arrived_s": one.arrived_s,
                    "released_s": released,
                    "own_released_s": own,
                    "first_sent_s": one.first_sent_s,
                    "first_fate": one.first_fate,
                }
            )
        return found


_PACKET = ("direction", "sent_s", "arrived_s", "bytes", "queued_s", "fate", "kind", "again")
_PIECE = (
    "stream",
    "offset",
    "length",
    "packet",
    "arrived_s",
    "released_s",
    "own_released_s",
    "first_sent_s",
    "first_fate",
)


def made(*connections: MadeConnection, base_s: float = 0.0) -> Arrivals:
    """The arrivals of a trial with these connections; times count from `base_s`."""
    return Arrivals.model_validate(told(*connections, base_s=base_s))


def told(*connections: MadeConnection, base_s: float = 0.0) -> dict[str, Any]:
    """They as the file's JSON."""
    return {
        "version": 1,
        "clock_base_monotonic_s": base_s,
        "missing_records": 0,
        "connections": [one.told(index) for index, one in enumerate(connections)],
    }


def write(file: Path, *connections: MadeConnection, base_s: float = 0.0) -> None:
    """Writes them as the engine does."""
    file.write_bytes(gzip.compress(json.dumps(told(*connections, base_s=base_s)).encode(), mtime=0))


def single_loss(transport: str) -> MadeConnection:
    """Two requests at once, over 20 ms each way; each of two responses has two packets, which go in turn a
    millisecond apart, and the first of all is lost. Sent again at 0.110 s, it is there at 0.130 s."""
    connection = MadeConnection(transport, {"tcp": "h2", "quic": "h3"}[transport])
    for stream, path in ((0, "/a"), (4, "/b")):
        connection.request(stream, path, 0.0, 0.020)
    lost = connection.down(0, 1000, 0.020, None)
    connection.down(4, 1000, 0.021, 0.041)
    connection.down(0, 1000, 0.022, 0.042)
    connection.down(4, 1000, 0.023, 0.043)
    connection.again(lost, 0.110, 0.130)
    return connection


def _columns(rows: list[dict[str, Any]], names: tuple[str, ...]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in names}


def _last_arrival(sent: list[_Bytes]) -> float | None:
    arrivals = [one.arrived_s for one in sent]
    known = [at_s for at_s in arrivals if at_s is not None]
    return max(known) if len(known) == len(arrivals) and known else None
