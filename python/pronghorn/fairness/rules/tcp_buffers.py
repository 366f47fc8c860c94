"""TCP's largest socket buffers below what the path holds: its window can't grow to fill the line, whatever
its congestion control would."""

from collections.abc import Iterator, Sequence
from statistics import median

from pronghorn.analysis.numbers import count
from pronghorn.fairness import readings
from pronghorn.fairness.group import Group
from pronghorn.fairness.line import Line, rate_words, size_words
from pronghorn.fairness.readings import Reading
from pronghorn.fairness.remedies import raised
from pronghorn.fairness.transfers import Transfer, whole
from pronghorn.fairness.values import bytes_of
from pronghorn.model.caution import Caution

_LEAST_BUFFERS = 3
_SHARES = (0.2, 1.1)
"""The share of one buffer a round trip at which a transfer is taken to be bound by it: a quarter to nine
tenths of a buffer are payload, the rest is the kernel's account of each packet."""

_ENDS: tuple[tuple[str, str, Reading], ...] = (
    ("receive", "client", readings.tcp_maximum("client", "receive_buffer", "net.ipv4.tcp_rmem")),
    ("send", "origin", readings.tcp_maximum("server", "send_buffer", "net.ipv4.tcp_wmem")),
)


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """The warnings, of arms over TCP."""
    for group in groups:
        line = group.line
        if group.arm.over_quic or line is None:
            continue
        found = [one for trial in group.loads if (one := whole(group, trial))]
        for kind, end, reading in _ENDS:
            sizes = [size for value in reading(group) if (size := bytes_of(value)) is not None]
            size = min(sizes, default=None)
            if size is None or size >= line.bdp_bytes:
                continue
            bound = [
                one
                for one in found
                if one.size >= _LEAST_BUFFERS * size and one.bound_by(size, line, _SHARES)
            ]
            if bound and 2 * len(bound) > len(found):
                yield _caution(group, line, kind, end, size, bound)


def _caution(group: Group, line: Line, kind: str, end: str, size: int, bound: list[Transfer]) -> Caution:
    rate = median(one.byte_per_s for one in bound)
    sysctl = "net.ipv4.tcp_rmem" if kind == "receive" else "net.ipv4.tcp_wmem"
    return Caution(
        f"tcp-{kind}-buffer",
        f"{group.arm.name} on {group.cell}: the {end}'s TCP {kind} buffer is limited to "
        f"{size_words(size)} ({sysctl}). The path holds {line.holds}. {count(len(bound), 'load')} came "
        f"at {rate_words(rate)} (median). So the buffer, not congestion control, limits TCP's window.",
        raised(group, f"tcp_{kind}_buffer"),
    )
