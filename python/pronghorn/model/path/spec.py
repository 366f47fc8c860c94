"""A path as the engine takes it, in the shape of `PathSpec` in docs/engine-protocol.md: nanoseconds, bits per
second, bytes, probabilities. A key that is None stays away, and the engine's default holds."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

DEVICE_MTU_BYTES = 1500
"""That of the devices of an emulated path's hosts."""

IP_HEADER_BYTES: Mapping[int, int] = {4: 20, 6: 40}
"""By the version of IP (RFC 791, RFC 8200)."""

LEAST_MTU_BYTES: Mapping[int, int] = {4: 68, 6: 1280}
"""The least that a link must carry, by the version of IP (RFC 791, RFC 8200 §5)."""

TCP_HEADERS_BYTES = 20 + 12
"""TCP's, with its timestamps (RFC 7323), which Linux sends."""

UDP_HEADER_BYTES = 8


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MtuSpec(_Spec):
    """The longest IP packet that passes; `icmp`: whether the sender of a longer one is told (RFC 1191)."""

    bytes: int
    icmp: bool = False


class TokenBucketSpec(_Spec):
    """A token bucket, full at first (RFC 2697, with one rate and one burst)."""

    rate_bit_per_s: int
    burst_bytes: int


class UdpPolicing(_Spec):
    """UDP beyond a token bucket is dropped; the other rule, `block`, is a plain word."""

    police: TokenBucketSpec


class Window(_Spec):
    """A span of time, since the start of the path."""

    at_ns: int
    for_ns: int


class ScheduledOutage(_Spec):
    """Outages at known times; `repeat_ns`: after which it all begins again."""

    kind: Literal["scheduled"] = "scheduled"
    windows: tuple[Window, ...]
    repeat_ns: int | None = None


class RandomOutage(_Spec):
    """Outages at random: exponential times on and off, on first (Mahimahi's mm-onoff)."""

    kind: Literal["random"] = "random"
    on_mean_ns: int
    off_mean_ns: int


OutageSpec = Annotated[ScheduledOutage | RandomOutage, Field(discriminator="kind")]


class JitterSpec(_Spec):
    """Variation of the delay. `spread_ns`: half the width for uniform, the standard deviation for normal,
    netem's JITTER for the others; `table`: the text of a netem distribution file."""

    distribution: Literal["uniform", "normal", "pareto", "paretonormal", "table"] = "uniform"
    spread_ns: int
    correlation: float | None = None
    table: str | None = None
    order: Literal["keep", "break"]


class ReorderSpec(_Spec):
    """Packets that skip the delay and so overtake."""

    probability: float
    correlation: float | None = None
    gap: int = 1


class IndependentLoss(_Spec):
    """Each packet by one probability; `longest_burst`: the most packets lost in a row."""

    model: Literal["independent"] = "independent"
    probability: float
    correlation: float | None = None
    longest_burst: int | None = None

    @property
    def mean(self) -> float:
        """The long-run share of packets lost, in 0..1; of bounded bursts as if without correlation."""
        p, n = self.probability, self.longest_burst
        if n is None:
            return p
        return float(p * (1 - p**n) / (1 - p ** (n + 1))) if p < 1 else n / (n + 1)


class GilbertElliottLoss(_Spec):
    """Loss in bursts, by the two states of Gilbert (1960) and Elliott (1963)."""

    model: Literal["gilbert-elliott"] = "gilbert-elliott"
    enter: float
    leave: float
    loss_bad: float = 1.0
    loss_good: float = 0.0

    @property
    def mean(self) -> float:
        """The long-run share of packets lost, in 0..1."""
        moves = self.enter + self.leave
        bad = self.enter / moves if moves > 0 else 0.0
        return bad * self.loss_bad + (1 - bad) * self.loss_good


class FourStateLoss(_Spec):
    """netem's `loss state`, a chain of four states (Salsano et al. 2009)."""

    model: Literal["four-state"] = "four-state"
    p13: float
    p31: float
    p32: float
    p23: float
    p14: float

    @property
    def mean(self) -> float:
        """The long-run share of packets lost, in 0..1, from the chain's stationary distribution; a burst that
        is never left counts alone."""
        leaves = self.p31 > 0 or self.p13 == 0
        good, isolated = (1.0, self.p14) if leaves else (0.0, 0.0)
        burst_lost = (self.p13 / self.p31 if self.p13 else 0.0) if leaves else 1.0
        if burst_lost and self.p32 and not self.p23:
            return 0.0
        burst_received = burst_lost * self.p32 / self.p23 if self.p32 and self.p23 else 0.0
        return (burst_lost + isolated) / (good + isolated + burst_lost + burst_received)


class PacketLoss(_Spec):
    """These packets and no others, the first that enters the link being number 1."""

    model: Literal["packets"] = "packets"
    numbers: tuple[int, ...]

    @property
    def mean(self) -> float:
        """The long-run share of packets lost: none."""
        return 0.0


LossSpec = Annotated[
    IndependentLoss | GilbertElliottLoss | FourStateLoss | PacketLoss, Field(discriminator="model")
]


class OverheadSpec(_Spec):
    """What a packet takes on the wire beyond its own bytes; in cells where `cell_bytes` is given."""

    packet_bytes: int = 0
    cell_bytes: int | None = None
    cell_overhead_bytes: int = 0


class TraceSpec(_Spec):
    """A Mahimahi trace of packet deliveries, its text inline."""

    text: str
    repeat: bool = True


class ScheduleSpec(_Spec):
    """A CSV text of values that change over time."""

    text: str
    repeat_ns: int | None = None


class CodelSpec(_Spec):
    """CoDel (RFC 8289)."""

    discipline: Literal["codel"] = "codel"
    target_ns: int
    interval_ns: int
    ecn: bool = False


class FqCodelSpec(_Spec):
    """FQ-CoDel (RFC 8290)."""

    discipline: Literal["fq-codel"] = "fq-codel"
    target_ns: int
    interval_ns: int
    flows: int
    quantum_bytes: int
    ecn: bool = False


AqmSpec = Annotated[CodelSpec | FqCodelSpec, Field(discriminator="discipline")]


class LinkSpec(_Spec):
    """One direction. `queue` is `{"bytes": N}`, `{"packets": N}` or `{"time_ns": N}`."""

    mtu: MtuSpec | None = None
    udp: Literal["block"] | UdpPolicing | None = None
    outage: OutageSpec | None = None
    delay_ns: int = 0
    jitter: JitterSpec | None = None
    reorder: ReorderSpec | None = None
    loss: LossSpec | None = None
    duplicate: float = 0.0
    duplicate_correlation: float | None = None
    corrupt: float = 0.0
    corrupt_correlation: float | None = None
    police: TokenBucketSpec | None = None
    rate_bit_per_s: int | None = None
    overhead: OverheadSpec | None = None
    trace: TraceSpec | None = None
    queue: dict[str, int] | None = None
    aqm: AqmSpec | None = None
    schedule: ScheduleSpec | None = None


class CrossSpec(_Spec):
    """Bulk TCP flows beside what is measured; `warmup_ns`: how long they send before the path counts as
    open."""

    flows: int
    tcp_congestion_control: str
    direction: Literal["down", "up"] = "down"
    warmup_ns: int = 0


class HandoverSpec(_Spec):
    """The client's move to another path and another address, `at_ns` after the start of the path."""

    at_ns: int
    path: "PathSpec"


class PathSpec(_Spec):
    """Both directions; `down` carries server to client. `family`: the version of IP, 4 where it is None.
    `rebind_ns`: when a NAT gives the client's flows other addresses and ports, since the path's start."""

    down: LinkSpec
    up: LinkSpec
    family: Literal[4, 6] | None = None
    rebind_ns: tuple[int, ...] | None = None
    cross: CrossSpec | None = None
    handover: HandoverSpec | None = None

    @property
    def ip(self) -> int:
        """The version of IP."""
        return self.family or 4

    @property
    def round_trip_s(self) -> float:
        """The undisturbed round trip in seconds, without serialisation and queueing."""
        return (self.down.delay_ns + self.up.delay_ns) / 1e9

    @property
    def least_round_trip_s(self) -> float:
        """The shorter of the undisturbed round trips before and after a handover, in seconds."""
        others = [self.handover.path.round_trip_s] if self.handover else []
        return min([self.round_trip_s, *others])

    @property
    def mtu_bytes(self) -> int:
        """The longest IP packet that passes in both directions, after a handover too."""
        told = [link.mtu.bytes for link in (self.down, self.up) if link.mtu is not None]
        others = [self.handover.path.mtu_bytes] if self.handover else []
        return min([DEVICE_MTU_BYTES, *told, *others])

    @property
    def mss_bytes(self) -> int:
        """The payload of the longest TCP segment."""
        return self.mtu_bytes - IP_HEADER_BYTES[self.ip] - TCP_HEADERS_BYTES

    @property
    def udp_payload_bytes(self) -> int:
        """The payload of the longest UDP datagram."""
        return self.mtu_bytes - IP_HEADER_BYTES[self.ip] - UDP_HEADER_BYTES

    def to_engine(self) -> dict[str, Any]:
        """The engine's JSON."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_manifest(self) -> dict[str, Any]:
        """The engine's JSON, each text in it replaced by its SHA-256."""
        table = self.to_engine()
        paths = [table, table["handover"]["path"]] if self.handover else [table]
        for link in (one[direction] for one in paths for direction in ("down", "up")):
            for holder, key in (("trace", "text"), ("schedule", "text"), ("jitter", "table")):
                if key in link.get(holder, {}):
                    digest = hashlib.sha256(link[holder][key].encode()).hexdigest()
                    link[holder][key] = f"sha256:{digest}"
        return table
