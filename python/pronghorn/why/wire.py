"""What went over the path on one connection, on the axis of the page's load: how long packets were under way,
when the bottleneck was busy with them, and what their sender knew of it.

The delay comes before the bottleneck, as docs/paths.md has it: a packet is at the client when it leaves the
bottleneck. So the client's clock is the bottleneck's, and the sender's is early by the path's delay.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pronghorn.model.arrivals import DOWN, UP, Connection, Packets
from pronghorn.why.spans import NONE, Spans, Times, Truths, spans, together

Places = NDArray[np.int64]

_ROUNDED_S = 2e-6
"""The file's times are told to the microsecond; two of them are the same moment within this."""


class Wire:
    """A connection of a trial's arrivals. `since_s` is what its times are moved by, `seconds_per_byte` what a
    byte costs at the bottleneck down. All times are the page's."""

    def __init__(self, connection: Connection, since_s: float, seconds_per_byte: float) -> None:
        self.connection = connection
        self.since_s = since_s
        self.packets: Packets = connection.packets
        self.sent_s: Times = self.packets.sent_s + since_s
        self.arrived_s: Times = _with_copies(self.packets) + since_s
        self.serial_s: Times = np.where(
            self.packets.direction == DOWN, self.packets.bytes * seconds_per_byte, 0.0
        )
        self.delivered: Truths = ~np.isnan(self.arrived_s)
        """Which packets arrived, be it as the copy that the link made of them."""

    @cached_property
    def began_s(self) -> float:
        """When its first packet was sent."""
        return float(self.sent_s.min()) if len(self.packets) else np.inf

    @cached_property
    def missed(self) -> Truths:
        """Which packets were dropped that somebody may wait for: not those that were still under way at the
        end, nor mere acknowledgements, which are never sent again (RFC 9000 §13.2.1)."""
        silent = {one.packet for one in self.connection.handshake if set(one.says) == {"ACK"}}
        told = zip(self.packets.kind, self.packets.fate, strict=True)
        heard_of = [
            kind != "ACK" and fate != "in flight" and place not in silent
            for place, (kind, fate) in enumerate(told)
        ]
        return ~self.delivered & np.array(heard_of, dtype=np.bool_)

    def way(self, direction: int) -> Places:
        """The packets of a direction in order of sending."""
        return self._ways[direction]

    @cached_property
    def _ways(self) -> dict[int, Places]:
        found: dict[int, Places] = {}
        for direction in (DOWN, UP):
            mine = np.flatnonzero(self.packets.direction == direction)
            found[direction] = mine[np.argsort(self.sent_s[mine], kind="stable")]
        return found

    @cached_property
    def waited_s(self) -> Times:
        """How long each packet was at the bottleneck: waiting, and being sent."""
        return self.packets.queued_s + self.serial_s

    @cached_property
    def delay_s(self) -> Times:
        """How long each packet was under way without the bottleneck; NaN where it was dropped."""
        return np.maximum(self.arrived_s - self.sent_s - self.waited_s, 0.0)

    def least_delay_s(self, direction: int) -> float:
        """The shortest of these; 0 where no packet arrived."""
        mine = self.delay_s[(self.packets.direction == direction) & self.delivered]
        return float(mine.min()) if len(mine) else 0.0

    @cached_property
    def busy(self) -> Spans:
        """When the bottleneck down was busy with its packets or held them."""
        mine = self.delivered & (self.packets.direction == DOWN)
        return spans(self.arrived_s[mine] - self.waited_s[mine], self.arrived_s[mine])

    @cached_property
    def held(self) -> Spans:
        """When packets waited at a bottleneck behind others, in either direction."""
        mine = self.delivered & (self.packets.queued_s > 0)
        serial_s = self.serial_s[mine]
        return spans(
            self.arrived_s[mine] - serial_s - self.packets.queued_s[mine], self.arrived_s[mine] - serial_s
        )

    def due_s(self, packets: Places) -> Times:
        """When packets were there, or would have been had they not been dropped: as long under way as the
        next of their direction that was not, else the one before."""
        due = self.arrived_s[packets].copy()
        for place in np.flatnonzero(np.isnan(due)):
            packet = packets[place]
            way = self.way(int(self.packets.direction[packet]))
            there = way[self.delivered[way]]
            if not len(there):
                due[place] = self.sent_s[packet]
                continue
            after = min(int(np.searchsorted(self.sent_s[there], self.sent_s[packet])), len(there) - 1)
            like = there[after]
            due[place] = self.sent_s[packet] + self.arrived_s[like] - self.sent_s[like]
        return due

    def at(self, sent_s: float, direction: int) -> list[int]:
        """The packets that were sent at this moment."""
        way = self.way(direction)
        first, after = np.searchsorted(self.sent_s[way], (sent_s - _ROUNDED_S, sent_s + _ROUNDED_S))
        return [int(packet) for packet in way[first:after]]

    def repaired_s(self, packet: int) -> float | None:
        """When what a dropped packet carried arrived after all: with the first packet of its direction that
        brought nothing new. None where there is none."""
        way = self.way(int(self.packets.direction[packet]))
        later = way[np.searchsorted(self.sent_s[way], self.sent_s[packet], side="right") :]
        again = later[self.packets.again[later] & self.delivered[later]]
        return float(self.arrived_s[again].min()) if len(again) else None

    @cached_property
    def _payload(self) -> Places:
        """The packets down that carried payload, for the first time or again, in order of sending."""
        pieces = self.connection.pieces
        carried = self.packets.again.copy()
        carried[pieces.packet] = True
        dropped = np.flatnonzero(~self.delivered)
        carried[dropped[self._first_sent(dropped)[0]]] = True
        way = self.way(DOWN)
        return way[carried[way]]

    def _first_sent(self, packets: Places) -> tuple[Truths, Times]:
        """Which of some dropped packets were the first to carry bytes, and when all that was first sent, and
        dropped, at that moment was there after all."""
        pieces = self.connection.pieces
        lost = np.array([fate is not None for fate in pieces.first_fate], dtype=np.bool_)
        first_s, came_s = pieces.first_sent_s[lost] + self.since_s, pieces.arrived_s[lost] + self.since_s
        order = np.lexsort((came_s, first_s))
        first_s, came_s = first_s[order], came_s[order]
        last = np.searchsorted(first_s, self.sent_s[packets] + _ROUNDED_S, side="right") - 1
        known = np.maximum(last, 0)
        if not len(first_s):
            return np.zeros(len(packets), dtype=np.bool_), np.full(len(packets), np.inf)
        found = (last >= 0) & (np.abs(first_s[known] - self.sent_s[packets]) <= _ROUNDED_S)
        return found, np.where(found, came_s[known], np.inf)

    @cached_property
    def _first_there_s(self) -> Times:
        """When what each of these packets carried was there. Of one that was dropped after an earlier one it
        isn't told; the next that arrived stands for it."""
        there = self.arrived_s[self._payload].copy()
        lost = np.flatnonzero(np.isnan(there))
        first, came_s = self._first_sent(self._payload[lost])
        next_s = np.append(there, np.inf)
        for place in range(len(there) - 1, -1, -1):
            if np.isnan(next_s[place]):
                next_s[place] = next_s[place + 1]
        there[lost] = np.where(first, came_s, next_s[lost])
        return there

    @cached_property
    def _acknowledged_s(self) -> Times:
        """When the server heard from the client after each of these was there; infinite where it never
        did."""
        up = self.way(UP)
        heard = up[self.delivered[up]]
        place = np.searchsorted(self.sent_s[heard], self._first_there_s - _ROUNDED_S)
        known = np.append(self.arrived_s[heard], np.inf)
        return np.minimum.accumulate(known[::-1])[::-1][place]

    @cached_property
    def sends_s(self) -> Times:
        """When packets with payload were sent down, ascending."""
        return self.sent_s[self._payload]

    def in_flight_bytes(self, at_s: Times) -> Times:
        """By the server's clock: how many bytes of packets with payload it had heard nothing of at some
        moments, sent by then."""
        size = self.packets.bytes[self._payload]
        sent = np.append(0, np.cumsum(size))[np.searchsorted(self.sends_s, at_s, side="right")]
        order = np.argsort(self._acknowledged_s, kind="stable")
        heard = np.append(0, np.cumsum(size[order]))
        told = np.searchsorted(self._acknowledged_s[order], at_s, side="right")
        return np.asarray(sent - heard[told], dtype=np.float64)

    @cached_property
    def unacknowledged(self) -> Spans:
        """By the server's clock: when it had sent what it had heard nothing of."""
        return spans(self.sends_s, self._acknowledged_s)

    @cached_property
    def repairing(self) -> Spans:
        """By the server's clock: from when it would have heard of bytes, had nothing been dropped, until it
        did."""
        up_s = self.least_delay_s(UP)
        dropped = np.flatnonzero(~self.delivered[self._payload])
        expected = self.due_s(self._payload[dropped]) + up_s
        lost_data = spans(expected, self._acknowledged_s[dropped])
        return together((lost_data, self._lost_word(up_s)))

    def _lost_word(self, up_s: float) -> Spans:
        """From when a dropped packet of the client's would have told of bytes until the next one did."""
        up = self.way(UP)
        if not len(up) or self.delivered[up].all():
            return NONE
        place = np.searchsorted(self.sent_s[up], self._first_there_s - _ROUNDED_S)
        told = place < len(up)
        first = up[place[told]]
        lost = ~self.delivered[first]
        return spans(self.sent_s[first][lost] + up_s, self._acknowledged_s[told][lost])


def _with_copies(packets: Packets) -> Times:
    """When packets arrived, in the file's time: one that was dropped with its copy, which stands behind it,
    and a copy that was dropped with its original."""
    arrived_s = packets.arrived_s.copy()
    copies = np.flatnonzero(np.array([fate == "duplicate" for fate in packets.fate], dtype=np.bool_))
    copies = copies[copies > 0]
    first = np.fmin(arrived_s[copies - 1], arrived_s[copies])
    lost = np.isnan(arrived_s[copies])
    arrived_s[copies - 1] = first
    arrived_s[copies[lost]] = first[lost]
    return arrived_s
