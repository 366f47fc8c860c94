"""Which probes to send over a path: spaced ones for delays, many for chances, a train for rate and queue."""

import math
from typing import Any, NamedTuple

from pronghorn.calibration import asked
from pronghorn.calibration.rows import Direction, Row, unchecked
from pronghorn.model.path import LinkSpec, PathSpec

SINGLE, MANY, TRAIN = 0, 1, 2
"""The phases of a link by place; where trains would compete for the CPU, the second link's is one later."""

PROBE_BYTES = 128
TRAIN_BYTES = 1428

GAP_S = 0.001
"""The least time between two spaced probes; probes of which there are many are five times as close."""

CALM = 4
"""Probes of the first two phases are this many times slower than the bottleneck could send them."""

FILLING = 2.5
"""A train is this many times faster than the bottleneck takes it: the queue is full for the second half of
the train at least. Where that would take too long, `GENTLE` times."""

GENTLE = 1.3

FAST_BIT_PER_S = 200e6
"""From this rate on the trains of the two links go one after the other."""

FASTEST_BIT_PER_S = 2e9
"""Above this rate a host's sockets may not fill a link."""

TOGETHER = 16
"""This many packets of a train go to the kernel at once on such a link; the kernel segments them."""

_TRAIN_S = 0.25
_LONGEST_TRAIN = 40_000
_MOST_MANY = 20_000
_MOST_SINGLE = 2_000
_FEWEST = 40

_LEFT_OUT = {
    "udp": "its rule for UDP would drop the probes; the rest is tested without it",
    "outage": "probes run without outages; the rest is tested without them",
    "police": "the token bucket would drop the train; the rest is tested without it",
    "trace": "a trace has no constant rate; the rest is tested without it",
    "schedule": "values change over time; only those outside of the schedule are tested",
    "mtu": "probes are shorter",
}


class LinkDesign(NamedTuple):
    """What is sent over one link as it is driven: `probe_bytes` and `train_bytes` are IP packets."""

    link: LinkSpec
    probe_bytes: int
    train_bytes: int
    train: int
    queue_s: float | None
    phases: list[dict[str, int]]
    left_out: list[Row]


class Design(NamedTuple):
    """A path's probes, and the path without what the probes can't see."""

    path: PathSpec
    down: LinkDesign
    up: LinkDesign
    settle_s: float

    def to_engine(self) -> dict[str, Any]:
        """The parameters of the op `calibrate`."""
        return {
            "down": self.down.phases,
            "up": self.up.phases,
            "settle_ns": round(self.settle_s * 1e9),
        }


def design(path: PathSpec, budget_s: float) -> Design:
    """The probes for `path`, which take about `budget_s` seconds beyond its delays."""
    after = path.up.rate_bit_per_s, path.down.rate_bit_per_s
    serial = all(rate is not None for rate in after) and max(rate or 0 for rate in after) >= FAST_BIT_PER_S
    down = _link("down", path.down, budget_s, TRAIN)
    up = _link("up", path.up, budget_s, TRAIN + serial)
    driven = PathSpec(down=down.link, up=up.link, family=path.family)
    slowest = max(_longest_s(down), _longest_s(up))
    return Design(driven, down, up, settle_s=2 * slowest + 1.0)


def _link(direction: Direction, asked_link: LinkSpec, budget_s: float, train_place: int) -> LinkDesign:
    left_out = [
        unchecked(direction, key, reason)
        for key, reason in _LEFT_OUT.items()
        if getattr(asked_link, key) is not None
    ]
    hidden: dict[str, None] = dict.fromkeys(key for key in _LEFT_OUT if key != "mtu")
    if asked_link.rate_bit_per_s is None:
        hidden |= {"queue": None, "aqm": None, "overhead": None}
    link = asked_link.model_copy(update=hidden)
    longest = link.mtu.bytes if link.mtu else 1500
    probe = min(PROBE_BYTES, longest)
    phases = [_single(link, probe, budget_s), _many(link, probe, budget_s)]
    train, train_bytes, queue_s = _train(link, min(TRAIN_BYTES, longest), budget_s)
    while len(phases) < train_place:
        phases.append(_phase(0, probe, 0.0))
    phases.append(train)
    return LinkDesign(link, probe, train_bytes, train_place, queue_s, phases, left_out)


def _single(link: LinkSpec, size: int, budget_s: float) -> dict[str, int]:
    """Probes so far apart that none waits for another or, where order is kept, is held up by it."""
    gap = max(GAP_S, CALM * asked.wire_s(link, size))
    if link.jitter is not None and link.jitter.order == "keep":
        delay = asked.delay(link, size)
        gap = max(gap, delay.quantile(1 - 1e-3) - delay.quantile(1e-3))
    return _phase(_count(0.5 * budget_s, gap, _MOST_SINGLE), size, gap)


def _many(link: LinkSpec, size: int, budget_s: float) -> dict[str, int]:
    """As many probes as the time allows, where a chance is to be counted."""
    if not (link.loss or link.duplicate or link.corrupt or link.reorder):
        return _phase(0, size, 0.0)
    gap = max(GAP_S / 5, CALM * asked.wire_s(link, size))
    return _phase(_count(0.5 * budget_s, gap, _MOST_MANY), size, gap)


def _train(link: LinkSpec, size: int, budget_s: float) -> tuple[dict[str, int], int, float | None]:
    """More than the bottleneck takes; with the packets' size and, where the train fills the queue, the time
    that the whole queue takes."""
    rate = link.rate_bit_per_s
    if rate is None or rate > FASTEST_BIT_PER_S:
        return _phase(0, size, 0.0), size, None
    if link.queue and "bytes" in link.queue:
        size = max(36, min(size, link.queue["bytes"] // 4))
    each = asked.wire_s(link, size)
    passes = 1 - (link.loss.mean if link.loss else 0.0)
    held = asked.queue_packets(link, size) * each
    uneven = asked.delay(link, size)
    ragged = uneven.quantile(1 - 1e-3) - uneven.quantile(1e-3)
    if link.reorder:
        ragged += link.delay_ns / 1e9
    wanted = max(min(_TRAIN_S, budget_s / 4), 60 * each) + ragged
    filled = max(wanted, 2 * held / (FILLING - 1))
    packets = FILLING * filled / each / max(passes, 0.01)
    fills = filled + held <= max(budget_s, wanted) and packets <= _LONGEST_TRAIN
    factor, span = (FILLING, filled) if fills else (GENTLE, wanted)
    gap = each / factor * passes
    count = math.ceil(span / gap) if gap > 0 else 0
    train = _phase(min(count, _LONGEST_TRAIN), size, gap)
    if rate >= FAST_BIT_PER_S:
        train["together"] = TOGETHER
    return train, size, held if fills else None


def _count(span_s: float, gap_s: float, most: int) -> int:
    return max(_FEWEST, min(most, int(span_s / gap_s)))


def _phase(packets: int, size: int, gap_s: float) -> dict[str, int]:
    return {"packets": packets, "bytes": size, "gap_ns": round(gap_s * 1e9)}


def _longest_s(link: LinkDesign) -> float:
    """The longest that a packet may be in the link."""
    wire = asked.wire_s(link.link, link.train_bytes)
    train = link.phases[link.train]["packets"] * wire
    return asked.delay(link.link, link.probe_bytes).quantile(1.0) + train
