"""How fast a load's large resources came, from their first byte to their last."""

import math
from typing import NamedTuple

from pronghorn.fairness.group import Group
from pronghorn.fairness.line import Line
from pronghorn.fairness.values import SEGMENT_BYTES
from pronghorn.model.trial import Resource, Trial

_FIRST_WINDOW = 10 * SEGMENT_BYTES
"""What slow start begins with (RFC 6928)."""

_HELD_UP = 1.1
"""So many times as long as by slow start and the line alone: packets' headers and TLS take a twentieth."""

_LOSSES_APART = 2.0
"""A window that losses would leave so many times as large is not theirs."""


class Transfer(NamedTuple):
    """Bodies that came over one connection: their `size` in bytes, and the time from the first byte to the
    last. `carried` is what all resources of the load brought in that time, in bytes; `lost` what the path
    dropped on the way down during the load, in packets, of so many `packets`."""

    size: int
    seconds: float
    carried: float
    lost: int
    packets: int

    @property
    def byte_per_s(self) -> float:
        """Its mean rate."""
        return self.size / self.seconds

    def bound_by(self, window: float, line: Line, shares: tuple[float, float]) -> bool:
        """Whether a window of so many bytes can have held it up: it came at a share of one window a round
        trip that is within `shares`, and neither slow start and the line's rate, nor losses account for the
        time that it took."""
        low, high = shares
        return (
            low <= self.byte_per_s * line.round_trip_s / window <= high
            and self.seconds >= _HELD_UP * self.unbound_s(line)
            and self.window_under_losses >= _LOSSES_APART * window
        )

    def unbound_s(self, line: Line) -> float:
        """The seconds that all which was carried takes where the line is filled after a slow start that
        doubles its window in each round trip."""
        full = max(min(line.bdp_bytes, self.carried), _FIRST_WINDOW)
        return (
            math.log2(full / _FIRST_WINDOW) * line.round_trip_s
            + max(0.0, self.carried - full) * 8 / line.rate_bit_per_s
        )

    @property
    def window_under_losses(self) -> float:
        """The bytes that so many losses leave New Reno's window on average: a segment × √(3 / 2p) (Mathis et
        al., "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997)."""
        if not self.lost:
            return math.inf
        return SEGMENT_BYTES * math.sqrt(1.5 * max(self.packets, self.lost) / self.lost)


def largest(group: Group, trial: Trial) -> Transfer | None:
    """The largest resource of a load over the arm's own protocol; None where its times aren't known."""
    timed = _timed(group, trial)
    if not timed:
        return None
    one = max(timed, key=lambda resource: resource.bytes)
    start, end = _span(one)
    return Transfer(one.bytes, end - start, _carried(timed, start, end), *_lost(trial))


def whole(group: Group, trial: Trial) -> Transfer | None:
    """All resources together of the connection that brought the most."""
    by_connection: dict[int | None, list[Resource]] = {}
    for resource in (timed := _timed(group, trial)):
        by_connection.setdefault(resource.connection, []).append(resource)
    if not timed:
        return None
    most = max(by_connection.values(), key=lambda its: sum(one.bytes for one in its))
    spans = [_span(one) for one in most]
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    size = sum(one.bytes for one in most)
    return Transfer(size, end - start, _carried(timed, start, end), *_lost(trial))


def _timed(group: Group, trial: Trial) -> list[Resource]:
    return [
        one
        for one in (trial.page.resources if trial.page else [])
        if one.protocol == group.arm.protocol
        and not one.from_cache
        and one.error is None
        and one.first_byte_s is not None
        and one.last_byte_s is not None
        and one.last_byte_s > one.first_byte_s
    ]


def _span(one: Resource) -> tuple[float, float]:
    return one.first_byte_s or 0.0, one.last_byte_s or 0.0


def _carried(timed: list[Resource], start: float, end: float) -> float:
    """The bytes that came between two times, as if each resource had come at an even rate."""
    total = 0.0
    for one in timed:
        first, last = _span(one)
        total += one.bytes * max(0.0, min(last, end) - max(first, start)) / (last - first)
    return total


def _lost(trial: Trial) -> tuple[int, int]:
    """Packets that were dropped on the way down, and all that were sent there."""
    down = trial.counters.down if trial.counters else None
    if down is None:
        return 0, 0
    lost = down.lost + down.queue_dropped + down.aqm_dropped + down.corrupted + down.too_big
    return lost, down.packets_in
