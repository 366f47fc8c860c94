"""Rate and queue: a train of probes that comes faster than the bottleneck takes it."""

import statistics
from collections.abc import Iterator

from pronghorn.calibration import asked, delays
from pronghorn.calibration.design import FASTEST_BIT_PER_S, GROUP_S, LinkDesign
from pronghorn.calibration.measured import Phase, Probed, journeys, unexplained_s
from pronghorn.calibration.rows import Direction, Row, judge, unchecked

RATE_TOLERANCE = 0.01

_FEWEST = 20
_LAST = 0.6
"""From this share of a train on the queue is full."""

_FULL = 1.1
"""How much faster than the rate a train must have come to have kept the bottleneck busy."""


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
    rate = _rate(direction, design, phase)
    yield rate
    if rate.verdict == "not checked":
        yield unchecked(direction, "queue", "the train did not fill the link")
    else:
        yield _queue(direction, design, probed, phase)


def _rate(direction: Direction, design: LinkDesign, phase: Phase) -> Row:
    """Bits on the wire over the time from the first departure to the last, while the queue stood."""
    link, rate = design.link, float(design.link.rate_bit_per_s or 0)
    passes = (1 - (link.loss.mean if link.loss else 0.0)) * (1 + link.duplicate)
    wire = asked.wire_bytes(link, design.train_bytes) * 8
    span = (phase.sent_ns[-1] - phase.sent_ns[0]) / 1e9
    if span > 0 and (len(phase.sent_ns) - 1) * wire * passes / span < _FULL * rate:
        return unchecked(direction, "rate", "this host could not send fast enough to fill the link")
    expected = asked.delay(link, design.train_bytes)
    first, last = 0.0, float("inf")
    if not expected.constant or link.reorder:
        first = expected.quantile(1 - 1e-3)
        last = span + (0.0 if link.reorder else expected.quantile(1e-3))
    times = sorted(at / 1e9 for _, at in phase.arrivals)
    times = [at for at in times if first <= at <= last]
    if len(times) < _FEWEST:
        return unchecked(direction, "rate", f"only {len(times)} packets of the train arrived in full queue")
    took = times[-1] - times[0]
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


def _queue(direction: Direction, design: LinkDesign, probed: Probed, phase: Phase) -> Row:
    """The packets that stood in the full queue, by how long the train's last ones waited there."""
    link = design.link
    if link.aqm is not None:
        return unchecked(direction, "queue", "its management drops before it is full")
    if design.queue_s is None:
        return unchecked(direction, "queue", "it can't be filled and emptied within the time given")
    earlier = probed.phases[design.train - 1].link.queue_dropped
    if phase.link.queue_dropped == earlier:
        return unchecked(direction, "queue", "this host could not send fast enough to fill it")
    each = asked.wire_s(link, design.train_bytes)
    expected = asked.delay(link, design.train_bytes)
    uneven = (expected.quantile(1 - 1e-3) - expected.quantile(1e-3)) / 2
    held = asked.queue_packets(link, design.train_bytes)
    if uneven > 0.1 * held * each or (link.reorder and link.delay_ns > 0):
        return unchecked(direction, "queue", "the uneven delay hides how long a packet stood in it")
    bare = expected.quantile(0.5) - each
    late = _LAST * len(phase.sent_ns)
    waits = [journey.delay_s - bare for journey in journeys(phase) if journey.number >= late]
    if len(waits) < _FEWEST:
        return unchecked(direction, "queue", f"only {len(waits)} packets of the train passed the full queue")
    together = _group_s(design) / each
    slack = (delays.tolerance_s(probed, design.train) + uneven) / each
    return judge(
        direction,
        "queue",
        "packets",
        asked=held,
        measured=statistics.median(waits) / each,
        low=held - 1 - together - slack,
        high=held + slack,
        reason=f"of {design.train_bytes} bytes",
    )


def _group_s(design: LinkDesign) -> float:
    """How long the queue empties before the next probes of the train come together."""
    train = design.phases[design.train]
    return max(GROUP_S, train.get("together", 1) * train["gap_ns"] / 1e9)
