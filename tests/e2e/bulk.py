"""One TCP flow from server to client, and how it fared."""

from typing import NamedTuple

from .benches import LIMIT_S, Bench

PORT = 5000

PAYLOAD_SHARE = 1448 / 1500
"""Of a full packet, what is left beside 20 bytes of IPv4 and 32 of TCP with timestamps (RFC 7323)."""


class Flow(NamedTuple):
    """What the sender saw after the warm-up; segments with data, those sent again included."""

    seconds: float
    bytes_acked: int
    segments: int
    retransmission_timeout_s: float
    round_trip_s: float

    @property
    def goodput_bit_per_s(self) -> float:
        """What arrived."""
        return self.bytes_acked * 8 / self.seconds


async def send(one: Bench, client: str, *, warmup_s: float, measured_s: float) -> Flow:
    """A bulk flow down an open bench."""
    await one.start("client", "tcp_bulk", "take", PORT)
    sending = await one.start("server", "tcp_bulk", "send", client, PORT, warmup_s, measured_s)
    [said] = await one.finish(sending, limit_s=LIMIT_S + warmup_s + measured_s)
    seconds, acked, segments, timeout, trip = said.split()
    return Flow(float(seconds), int(acked), int(segments), float(timeout), float(trip))
