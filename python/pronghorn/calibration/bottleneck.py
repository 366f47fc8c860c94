"""Rate and queue: a train of probes that comes faster than the bottleneck takes it."""

import itertools
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from pronghorn.calibration import asked, delays
from pronghorn.calibration.design import FASTEST_BIT_PER_S, LinkDesign
from pronghorn.calibration.measured import Phase, Probed, journeys, unexplained_s
from pronghorn.calibration.rows import Direction, Row, judge, unchecked

RATE_TOLERANCE = 0.01

_FEWEST = 20
"""With fewer packets nothing is said."""

_FEWEST_FULL = 5
"""With fewer packets that found one free place in the queue, nothing is said."""

_LOSSY = 0.3

_SHORTEST_S = 0.02
"""The shortest time over which a rate is known to 1 %."""

_LAST = 0.6
"""From this share of a train on the queue is full, where the host sends fast enough."""


class _Train(NamedTuple):
    """What a train's packets are expected to take: `each_s` on the wire, `bare_s` before the queue, or up to
    `early_s` less and `tardy_s` more; `late_s` is how much later than that the host may have made them."""

    each_s: float
    bare_s: float
    early_s: float
    tardy_s: float
    late_s: float


def rows(direction: Direction, design: LinkDesign, probed: Probed) -> Iterator[Row]:
    """The rate, and how many packets the queue held; nothing for a link without a rate."""
    link = design.link
    if link.rate_bit_per_s is None:
        return
    phase = probed.phases[design.train]
    if not phase.sent_ns:
        reason = f"above {FASTEST_BIT_PER_S / 1e9:g} Gbit/s the probes may not fill the link"
        yield unchecked(direction, "rate", reason)
        return
    if probed.receive_buffer_drops:
        reason = f"the receiving socket had no room for {probed.receive_buffer_drops} probes"
        yield unchecked(direction, "rate", reason)
        return
    each = asked.wire_s(link, design.train_bytes)
    delay = asked.delay(link, design.train_bytes)
    middle = delay.quantile(0.5)
    train = _Train(
        each_s=each,
        bare_s=middle - each,
        early_s=middle - delay.quantile(1e-3),
        tardy_s=delay.quantile(1 - 1e-4) - middle,
        late_s=delays.tolerance_s(probed, design.train),
    )
    yield _rate(direction, design, train, phase)
    yield _queue(direction, design, train, probed)


def _rate(direction: Direction, design: LinkDesign, train: _Train, phase: Phase) -> Row:
    """Bits on the wire over the time from one departure to another, between which the queue never emptied."""
    link, rate = design.link, float(design.link.rate_bit_per_s or 0)
    times = _busy(train, phase)
    took = times[-1] - times[0] if times else 0.0
    if len(times) < _FEWEST or took < _SHORTEST_S:
        return unchecked(direction, "rate", "this host could not keep the link filled for long enough")
    wire = asked.wire_bytes(link, design.train_bytes) * 8
    # Damaged packets took their time on the wire as well.
    measured = (len(times) - 1) * wire / (1 - min(link.corrupt, 0.99)) / took
    tolerance = RATE_TOLERANCE + unexplained_s(phase.link) / took
    if link.corrupt:
        tolerance += 5 * (link.corrupt / len(times)) ** 0.5
    return judge(
        direction,
        "rate",
        "bit/s",
        asked=rate,
        measured=measured,
        low=rate * (1 - tolerance),
        high=rate * (1 + tolerance),
        reason=f"{len(times)} packets in {took:.3f} s",
    )


def _busy(train: _Train, phase: Phase) -> list[float]:
    """The departures of the train's longest stretch in which each packet found others before it: it took
    longer than the delay and its own time on the wire explain."""
    standing = train.bare_s + train.tardy_s + 2 * train.each_s + train.late_s
    arrivals = sorted((at / 1e9, (at - phase.sent_ns[number]) / 1e9) for number, at in phase.arrivals)
    stretches = [
        [at for at, _ in stretch]
        for queued, stretch in itertools.groupby(arrivals, key=lambda arrival: arrival[1] > standing)
        if queued
    ]
    return max(stretches, key=len, default=[])


def _queue(direction: Direction, design: LinkDesign, train: _Train, probed: Probed) -> Row:
    """The packets in the full queue, by how long those waited there after which two in a row were dropped."""
    link, phase, each = design.link, probed.phases[design.train], train.each_s
    if link.aqm is not None:
        return unchecked(direction, "queue", "its queue management drops packets before it is full")
    if design.queue_s is None:
        return unchecked(direction, "queue", "it can't be filled and emptied in the given time")
    held = asked.queue_packets(link, design.train_bytes)
    if (train.early_s + train.tardy_s) / 2 > 0.1 * held * each or (link.reorder and link.delay_ns > 0):
        return unchecked(direction, "queue", "the varying delay hides how long a packet waited in it")
    if link.loss is not None and link.loss.mean > _LOSSY:
        return unchecked(direction, "queue", "the loss hides which packets the queue dropped")
    passed = journeys(phase)
    numbers = {journey.number for journey in passed}
    waits = [
        journey.delay_s - train.bare_s
        for journey in passed
        if journey.number >= _LAST * len(phase.sent_ns)
        and journey.number < len(phase.sent_ns) - 2
        and numbers.isdisjoint((journey.number + 1, journey.number + 2))
    ]
    if len(waits) < _FEWEST_FULL:
        return unchecked(direction, "queue", "this host could not send fast enough to keep it full")
    return judge(
        direction,
        "queue",
        "packets",
        asked=held,
        measured=statistics.median(waits) / each,
        low=held - 1 - (train.late_s + train.early_s) / each,
        high=held + (train.late_s + train.tardy_s) / each,
        reason=f"of {design.train_bytes} bytes",
    )
