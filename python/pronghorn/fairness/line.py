"""What a path holds: its rate, its round trip, and their product."""

import math
from typing import NamedTuple

from pronghorn.model.path import LinkSpec, PathProfile


class Line(NamedTuple):
    """The line down. `rate_bit_per_s` is infinite where nothing limits it; `round_trip_s` is without
    queueing."""

    rate_bit_per_s: float
    round_trip_s: float

    @property
    def bdp_bytes(self) -> float:
        """Bandwidth × delay: what has to be on the way for the line to be full."""
        return self.rate_bit_per_s / 8 * self.round_trip_s

    @property
    def holds(self) -> str:
        """What it holds in words: `250 kB (50 Mbit/s × 40 ms)`."""
        trip = f"{self.round_trip_s * 1000:.3g} ms"
        if math.isinf(self.rate_bit_per_s):
            return f"as much as is sent in {trip}"
        return f"{size_words(self.bdp_bytes)} ({rate_words(self.rate_bit_per_s / 8)} × {trip})"


def line_of(path: PathProfile) -> Line | None:
    """The line of a path whose rate and delay stay the same, and which nobody shares; None of others: there a
    rate that was measured says nothing about a window."""
    spec = path.spec
    if spec is None or spec.handover is not None or spec.cross is not None:
        return None
    if spec.round_trip_s <= 0 or not (_steady(spec.down) and _steady(spec.up)):
        return None
    return Line(path.down_figures.mean_rate_bit_per_s or math.inf, spec.round_trip_s)


def _steady(link: LinkSpec) -> bool:
    return all(stage is None for stage in (link.schedule, link.trace, link.outage, link.police, link.udp))


def rate_words(byte_per_s: float) -> str:
    """A rate in bits a second, to three digits: `5.24 Mbit/s`, `1.2 Gbit/s`."""
    bits = byte_per_s * 8
    for size, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s")):
        if bits >= size:
            return f"{bits / size:.3g} {unit}"
    return f"{bits / 1e3:.3g} kbit/s"


def size_words(size: float) -> str:
    """A size to three digits: `1.25 MB`, `65.5 kB`."""
    for unit_size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit_size:
            return f"{size / unit_size:.3g} {unit}"
    return f"{size:.0f} bytes"
