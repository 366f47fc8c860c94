"""HyStart that ends the slow start of the kernel's CUBIC early, as the flight shows it.

HyStart (Ha and Rhee 2011) takes longer round trips, or acknowledgements that go on for half a round trip, for
the signs of a queue. Jitter feigns both. quinn's CUBIC has no such thing; s2n-quic's
has, and tells no acknowledged bytes by which to see it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.fairness.flights import Sender
from pronghorn.fairness.group import Group
from pronghorn.fairness.line import Line, size_words
from pronghorn.model.caution import Caution

_LOOK_ROUND_TRIPS = 2.0
_GROWTH = 1.5
"""In slow start the window doubles in a round trip, with delayed acknowledgements it grows by half at least:
in two it more than doubles. One that grew less than this had left it."""

_BEGUN = 2.0
"""Slow start is under way once the window is this many times the first one."""

_BUSY = 0.7
"""At least this share of the window has to be in flight; otherwise the application has nothing to send."""

_EARLY_SHARE = 0.6
"""Slow start ended early if the window was below this share of what the path holds. Above it, a queue was
about to build."""

_LEAST_SHARE = 0.25
"""The share of loads from which on this affects the comparison."""

_ACKNOWLEDGED = 1.2
"""In two round trips two windows are acknowledged. If it was less, an end was idle."""


class Left(NamedTuple):
    """When a sender left slow start without a loss, in seconds on the flight's axis, and with what window."""

    at_s: float
    window_bytes: float


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """A warning for each arm over TCP's CUBIC in each cell of which there are flights."""
    for group in groups:
        line = group.line
        switch = group.of_tcp("server", "hystart")
        if group.arm.over_quic or line is None or (switch and not any(switch)):
            continue
        looked = list(group.flights.senders(group.loads, over_quic=False))
        early = [left for senders in looked if (left := left_early(senders, line)) is not None]
        if early and len(early) >= _LEAST_SHARE * len(looked):
            window = median(left.window_bytes for left in early)
            yield Caution(
                "slow-start-left-early",
                f"{group.arm.name} on {group.cell}: slow start ended without a loss in {len(early)} of "
                f"{count(len(looked), 'load')} with a flight, at a median window of "
                f"{size_words(window)}. The path holds {line.holds}. From there the window grows slowly, "
                "so the rest takes longer. QUIC stacks without HyStart continue until the first loss.",
                "To see how much it explains: echo 0 > /sys/module/tcp_cubic/parameters/hystart",
            )


def left_early(senders: Sequence[Sender], line: Line) -> Left | None:
    """When the busiest of a load's `senders` left slow start though nothing had been lost and its window was
    far below what the path holds; None where it didn't."""
    busiest = max(senders, key=lambda one: max(one.told("acked_bytes"), default=0.0))
    left = left_without_loss(busiest, line.round_trip_s)
    return left if left is not None and left.window_bytes < _EARLY_SHARE * line.bdp_bytes else None


def left_without_loss(sender: Sender, round_trip_s: float) -> Left | None:
    """When `sender` left slow start though nothing had been lost and there was more to send; None where it
    didn't, or where that can't be told."""
    if sender.transport != "tcp" or sender.congestion_control != "cubic":
        return None
    windows = sender.told("cwnd_bytes")
    if len(windows) < 2:
        return None
    trip_s = max(round_trip_s, min(sender.told("min_rtt_s"), default=0.0))
    total = max(sender.told("acked_bytes"), default=0.0)
    for time in sender.times:
        later = time + _LOOK_ROUND_TRIPS * trip_s
        if later > sender.times[-1] or (sender.at("retransmits", later) or 0) > 0:
            return None
        window, then = sender.at("cwnd_bytes", time), sender.at("cwnd_bytes", later)
        if window is None or then is None or window < _BEGUN * windows[0]:
            continue
        acked = sender.at("acked_bytes", later) or 0.0
        moved = acked - (sender.at("acked_bytes", time) or 0.0) >= _ACKNOWLEDGED * window
        if then < _GROWTH * window and moved and total - acked > then and _busy(sender, time, later):
            return Left(time, window)
    return None


def _busy(sender: Sender, start_s: float, end_s: float) -> bool:
    between = slice(bisect_left(sender.times, start_s), bisect_right(sender.times, end_s))
    shares = [
        flight / window
        for flight, window in zip(
            sender.samples["in_flight_bytes"][between], sender.samples["cwnd_bytes"][between], strict=False
        )
        if flight is not None and window
    ]
    return bool(shares) and median(shares) >= _BUSY
