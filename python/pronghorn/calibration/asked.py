"""What a link's specification promises of a single probe: its delay's distribution, its time on the wire."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pronghorn.model.path import JitterSpec, LinkSpec

_TABLE_SCALE = 8192
_LEAST, _MOST = -32768 / _TABLE_SCALE, 32767 / _TABLE_SCALE
_PLACES = 20_000


class Delay(NamedTuple):
    """The distribution of one-way delays, by its quantiles at equal distances of probability, in seconds."""

    quantiles: NDArray[np.float64]

    @property
    def constant(self) -> bool:
        """Whether every packet takes as long."""
        return bool(self.quantiles[0] == self.quantiles[-1])

    def quantile(self, share: float) -> float:
        """The delay below which this share of the packets stays."""
        place = min(max(math.ceil(share * len(self.quantiles)) - 1, 0), len(self.quantiles) - 1)
        return float(self.quantiles[place])

    def share_up_to(self, delays: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of the packets that takes so long at most."""
        return np.searchsorted(self.quantiles, delays, side="right") / len(self.quantiles)

    def share_below(self, delays: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of the packets that takes less."""
        return np.searchsorted(self.quantiles, delays, side="left") / len(self.quantiles)


def delay(link: LinkSpec, probe_bytes: int) -> Delay:
    """The one-way delay of a probe that meets no other on `link`."""
    shares = (np.arange(_PLACES) + 0.5) / _PLACES
    offsets = _offsets(link.jitter, shares) if link.jitter else np.zeros(1)
    return Delay(np.maximum(link.delay_ns / 1e9 + offsets, 0.0) + wire_s(link, probe_bytes))


def _offsets(jitter: JitterSpec, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The jitter's quantiles in seconds, as tc-netem(8) and iproute2's distributions have them."""
    from scipy.special import ndtri

    pareto = np.minimum(4 / 3 * ((1 - shares) ** (-1 / 3) - 1.5), _MOST)
    match jitter.distribution:
        case "uniform":
            spreads = 2 * shares - 1
        case "normal":
            spreads = ndtri(shares)
        case "pareto":
            spreads = pareto
        case "paretonormal":
            spreads = np.clip(0.25 * ndtri(shares) + 0.75 * pareto, _LEAST, _MOST)
        case "table":
            words = " ".join(line.split("#")[0] for line in (jitter.table or "").splitlines()).split()
            numbers = np.sort(np.array([int(word) for word in words]))
            spreads = numbers[(shares * len(numbers)).astype(int)] / _TABLE_SCALE
    return np.asarray(spreads * jitter.spread_ns / 1e9, dtype=np.float64)


def wire_bytes(link: LinkSpec, packet_bytes: int) -> int:
    """What a packet takes on the wire (netem's `rate RATE OVERHEAD CELLSIZE CELLOVERHEAD`)."""
    overhead = link.overhead
    if overhead is None:
        return packet_bytes
    length = max(1, packet_bytes + overhead.packet_bytes)
    if overhead.cell_bytes is None:
        return length
    cells = -(-length // overhead.cell_bytes)
    return cells * (overhead.cell_bytes + overhead.cell_overhead_bytes)


def wire_s(link: LinkSpec, packet_bytes: int) -> float:
    """How long the bottleneck takes for a packet, in seconds; 0 without one."""
    if link.rate_bit_per_s is None:
        return 0.0
    return wire_bytes(link, packet_bytes) * 8 / link.rate_bit_per_s


def queue_packets(link: LinkSpec, packet_bytes: int) -> int:
    """How many packets of this size the queue of a link with a rate holds, the one being sent included."""
    queue = link.queue or {"packets": 1000}
    if "bytes" in queue:
        return queue["bytes"] // packet_bytes
    if "time_ns" in queue:
        held = queue["time_ns"] * (link.rate_bit_per_s or 0) // 8_000_000_000
        return max(1, held // packet_bytes)
    return queue["packets"]
