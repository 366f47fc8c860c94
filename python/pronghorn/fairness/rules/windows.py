"""A receiver's flow-control window below what the path holds.

The window as read back is held against rate × round trip; it counts once the measured rate shows that it was
what bound the transfer. Where nobody tells the window, the flight does: bytes on the way that stand still
below what the path holds, with nothing lost."""

from collections.abc import Iterator, Sequence
from statistics import median

from pronghorn.analysis.numbers import count
from pronghorn.fairness import readings
from pronghorn.fairness.flights import Sender
from pronghorn.fairness.group import Group
from pronghorn.fairness.line import Line, rate_words, size_words
from pronghorn.fairness.remedies import raised
from pronghorn.fairness.transfers import Transfer, largest, whole
from pronghorn.fairness.values import Value
from pronghorn.model.caution import Caution

_NEEDED = 1.125
"""A window's room is given back in pieces (quinn: an eighth of it), so that a line takes so much more than it
holds."""

_LEAST_WINDOWS = 3
"""A transfer of fewer windows is mostly slow start."""

_SHARES = (0.5, 1.1)
"""The share of one window a round trip at which a transfer is taken to be bound by it: less has another
cause, such as losses, more shows a window that grew."""

_NEAR = 0.85
_STOOD_STILL = 0.5
_LEAST_ROUND_TRIPS = 5
"""A plateau: for half of the time at least, and for so many round trips, no less than this share of the most
that was ever on the way."""

_SLACK = 1.3
"""A TCP congestion window exceeds what the receiver's window allows in flight by this much."""


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """The warnings; HTTP/1.1 has no windows but TCP's."""
    for group in groups:
        line = group.line
        if line is None or group.arm.protocol == "h1":
            continue
        windows = {
            "stream": (_window(readings.stream_window(group)), largest),
            "connection": (_window(readings.connection_window(group)), whole),
        }
        known = False
        for kind, (window, transferred) in windows.items():
            known = known or window is not None
            if window is None or window >= _NEEDED * line.bdp_bytes:
                continue
            found = [one for trial in group.loads if (one := transferred(group, trial))]
            bound = [
                one
                for one in found
                if one.size >= _LEAST_WINDOWS * window and one.bound_by(window, line, _SHARES)
            ]
            if bound and 2 * len(bound) > len(found):
                yield _caution(group, line, kind, window, bound)
                break
        if not known:
            yield from _by_flight(group, line)


def _window(told: Sequence[Value]) -> int | None:
    """The smallest window that was read back; those of which we only know what is shipped may grow."""
    return min((one for one in told if isinstance(one, int)), default=None)


def _caution(group: Group, line: Line, kind: str, window: int, bound: list[Transfer]) -> Caution:
    rate = median(one.byte_per_s for one in bound)
    return Caution(
        "flow-control-window",
        f"{group.arm.name} on {group.cell}: the client allows a {kind} {size_words(window)} in flight. "
        f"The path holds {line.holds}. Flow control, not congestion control, was the limit: "
        f"{count(len(bound), 'load')} came at {rate_words(rate)} (median), and such a window allows at "
        f"most {rate_words(window / line.round_trip_s)}.",
        raised(group, f"{kind}_window"),
    )


def _by_flight(group: Group, line: Line) -> Iterator[Caution]:
    looked = list(group.flights.senders(group.loads, over_quic=group.arm.over_quic))
    held = [
        size
        for senders in looked
        for size in [max((held_at(one, line.round_trip_s) or 0.0 for one in senders), default=0.0)]
        if 0 < size < line.bdp_bytes / _NEEDED
    ]
    if held and 2 * len(held) > len(looked):
        yield Caution(
            "flow-control-window",
            f"{group.arm.name} on {group.cell}: the origin had {size_words(median(held))} in flight "
            f"(median of {count(len(held), 'load')}) and no more, although nothing was lost and the path "
            f"holds {line.holds}. A window of the client's or a buffer of the origin's, not congestion "
            "control, was the limit.",
            raised(group, "stream_window", *(() if group.arm.over_quic else ("tcp_receive_buffer",))),
        )


def held_at(sender: Sender, round_trip_s: float) -> float | None:
    """The bytes that a sender had on the way for most of its time and never exceeded, though nothing was
    lost; None where there is no such plateau. TCP must have had a larger window besides, since a window that
    grows slowly looks like a plateau too."""
    losses = sender.told("retransmits" if sender.transport == "tcp" else "lost_packets")
    flights = sender.samples.get("in_flight_bytes", [])
    times = sender.times
    most = max(sender.told("in_flight_bytes"), default=0.0)
    if len(times) < 3 or most <= 0 or (losses and losses[-1] > 0):
        return None
    near = other = slack = 0.0
    for time, after, flight in zip(times, times[1:], flights, strict=False):
        if flight is None:
            continue
        if flight >= _NEAR * most:
            near += after - time
            window = sender.at("cwnd_bytes", time) or 0.0
            slack += (after - time) * (window >= _SLACK * flight)
        else:
            other += after - time
    stood = near >= _STOOD_STILL * (near + other) and near >= _LEAST_ROUND_TRIPS * round_trip_s
    return most if stood and (sender.transport == "quic" or slack >= _STOOD_STILL * near) else None
