"""A server whose buffer of an HTTP/3 response lets no more than its size be on the way.

What leaves the buffer stays in it until it is acknowledged, so a response gets one buffer a round trip. nginx
has 64 KiB unless told otherwise (http3_stream_buffer_size): 5 Mbit/s at 100 ms, whatever the line."""

from collections.abc import Iterator, Sequence
from statistics import median

from pronghorn.analysis.numbers import count
from pronghorn.fairness.group import Group
from pronghorn.fairness.line import Line, rate_words, size_words
from pronghorn.fairness.transfers import Transfer, largest
from pronghorn.fairness.values import bytes_of
from pronghorn.model.caution import Caution

USUAL_BYTES = 64 * 1024
"""What is looked for where a server's configuration isn't known."""

_LEAST_ROUND_TRIP_S = 0.005
"""Below it, processing and not the round trip sets the pace."""

_HEADROOM = 2
"""The path must hold this many buffers; otherwise the path limits the transfer."""

_MOST_LINE_SHARE = 0.7
_SHARES = (0.7, 1.15)
"""How far the measured rate may be from one buffer a round trip: acknowledgements take their time, and the
first buffer is not waited for."""

_LEAST_BUFFERS = 6
_LEAST_BUFFERS_UNKNOWN = 24
_LEAST_LOADS_UNKNOWN = 3
_SPREAD_UNKNOWN = 1.1
"""For an unknown server the proof is stricter: resources that any slow start would have brought several times
as fast, nothing lost, and the same rate in every load."""


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """The warnings. The built-in origin has no such buffer."""
    for group in groups:
        line = group.line
        if not group.arm.over_quic or group.own_origin or line is None:
            continue
        known = bytes_of(group.declared.get("stream_buffer"))
        size = known or USUAL_BYTES
        if line.round_trip_s < _LEAST_ROUND_TRIP_S or line.bdp_bytes < _HEADROOM * size:
            continue
        found = _large(group, size, known is not None)
        fitting = [one for one in found if _fits(one, size, line)]
        if fitting and (2 * len(fitting) > len(found) if known else _certain(found, fitting)):
            yield _caution(group, line, size, known is not None, fitting)


def _large(group: Group, size: int, known: bool) -> list[Transfer]:
    least = size * (_LEAST_BUFFERS if known else _LEAST_BUFFERS_UNKNOWN)
    return [one for trial in group.loads if (one := largest(group, trial)) and one.size >= least]


def _fits(one: Transfer, size: int, line: Line) -> bool:
    below_the_line = one.carried / one.seconds <= _MOST_LINE_SHARE * line.rate_bit_per_s / 8
    return below_the_line and one.bound_by(size, line, _SHARES)


def _certain(found: list[Transfer], fitting: list[Transfer]) -> bool:
    rates = [one.byte_per_s for one in fitting]
    return (
        len(fitting) == len(found) >= _LEAST_LOADS_UNKNOWN
        and not any(one.lost for one in fitting)
        and max(rates) <= _SPREAD_UNKNOWN * min(rates)
    )


def _caution(group: Group, line: Line, size: int, known: bool, fitting: list[Transfer]) -> Caution:
    rate = median(one.byte_per_s for one in fitting)
    so = "as its configuration has it" if known else "as a buffer of its streams would have it"
    return Caution(
        "stream-buffer",
        f"{group.arm.name} on {group.cell}: the origin had at most {size_words(size)} of a response in "
        f"flight, {so}. The largest resource arrived at {rate_words(rate)} "
        f"({count(len(fitting), 'load')}), one such buffer per round trip. The path holds {line.holds}. "
        "So the buffer, not the protocol, slows down large resources.",
        "nginx: http3_stream_buffer_size 8m, as in the origin nginx:tuned. HAProxy: see haproxy:tuned. "
        "Others: a send buffer as large as what the path holds.",
    )
