"""Loss, duplication, corruption and reordering: counts against the exact distribution of what was asked.

A probe that vanished doesn't tell why. With several of these on a link, the link's own counters stand in for
the others, and the row `packets` proves that link and hosts agree on what left.
"""

from collections.abc import Iterator

from pronghorn.calibration import asked, delays, markov
from pronghorn.calibration.design import MANY, SINGLE, LinkDesign
from pronghorn.calibration.markov import Chain
from pronghorn.calibration.measured import Probed, journeys
from pronghorn.calibration.rows import Direction, Row, judge, unchecked
from pronghorn.model.path import FourStateLoss, GilbertElliottLoss, IndependentLoss, LinkSpec
from pronghorn.model.trial import LinkCounters


def rows(direction: Direction, design: LinkDesign, probed: Probed) -> Iterator[Row]:
    """A row for each chance that the link has, and the account of all packets."""
    link, counted = design.link, probed.phases[MANY].link
    phases = [probed.phases[place] for place in (SINGLE, MANY)]
    sent = sum(len(phase.sent_ns) for phase in phases)
    arrived = sum(len(phase.arrivals) for phase in phases)
    left = arrived + counted.corrupted
    dropped = counted.queue_dropped + (getattr(counted, "aqm_dropped", 0) or 0)
    if link.loss:
        lost = sent + counted.duplicated - left - dropped
        yield _loss(direction, link, lost, sent, counted)
    if link.duplicate:
        doubled = left + counted.lost + dropped - sent
        chain = markov.chance(link.duplicate, link.duplicate_correlation or 0.0)
        yield _count(direction, "duplication", chain, doubled, sent, link.duplicate)
    total = probed.phases[-1].link
    undeliverable = getattr(total, "undeliverable", 0) or 0
    if link.corrupt:
        chain = markov.chance(link.corrupt, link.corrupt_correlation or 0.0)
        damaged = probed.damaged + undeliverable
        yield _count(direction, "corruption", chain, damaged, total.packets_out, link.corrupt)
    if link.reorder:
        yield _reordering(direction, design, probed)
    received = sum(len(phase.arrivals) for phase in probed.phases)
    met = received + probed.damaged + undeliverable + probed.receive_buffer_drops + probed.answers
    yield judge(
        direction,
        "packets",
        "packets",
        asked=total.packets_out,
        measured=met,
        low=total.packets_out,
        high=total.packets_out,
        reason="of those that left the link; lost or damaged at the far host",
    )


def _loss(direction: Direction, link: LinkSpec, lost: int, sent: int, counted: LinkCounters) -> Row:
    loss = link.loss
    decisions = counted.loss_decisions if link.duplicate else sent
    match loss:
        case IndependentLoss():
            correlation = loss.correlation or 0.0
            if correlation and link.duplicate:
                return unchecked(direction, "loss", "copies have a correlation of their own")
            chain = markov.chance(loss.probability, correlation)
            if loss.longest_burst is not None:
                if loss.longest_burst > markov.LONGEST_RUN:
                    return unchecked(direction, "loss", f"a longest burst above {markov.LONGEST_RUN}")
                chain = markov.bounded(loss.probability, correlation, loss.longest_burst)
        case GilbertElliottLoss():
            chain = markov.gilbert_elliott(loss.enter, loss.leave, loss.loss_bad, loss.loss_good)
        case FourStateLoss():
            chain = markov.four_state(loss.p13, loss.p31, loss.p32, loss.p23, loss.p14)
        case _:
            listed = sum(number <= sent for number in loss.numbers) if loss else 0
            return judge(
                direction, "loss (listed)", "packets", asked=listed, measured=lost, low=listed, high=listed
            )
    return _count(direction, "loss", chain, lost, decisions, chain.share)


def _count(direction: Direction, quantity: str, chain: Chain, count: int, steps: int, share: float) -> Row:
    if steps < 1 or not chain.feasible(steps):
        return unchecked(direction, quantity, "its exact distribution is too expensive to compute")
    low, high = chain.interval(steps)
    return judge(
        direction,
        quantity,
        "share",
        asked=share,
        measured=count / steps,
        low=low / steps,
        high=high / steps,
        reason=f"{count} of {steps}",
    )


def _reordering(direction: Direction, design: LinkDesign, probed: Probed) -> Row:
    """Probes that skipped their delay, of all that arrived."""
    link, reorder = design.link, design.link.reorder
    expected = asked.delay(link, design.probe_bytes)
    late = delays.tolerance_s(probed, SINGLE)
    wire = asked.wire_s(link, design.probe_bytes)
    if reorder is None or expected.quantile(0) < 4 * (late + wire):
        return unchecked(direction, "reordering", "the delay is too short to see which packets skip it")
    if reorder.gap > markov.LONGEST_RUN:
        return unchecked(direction, "reordering", f"a gap above {markov.LONGEST_RUN}")
    taken = [journey for place in (SINGLE, MANY) for journey in journeys(probed.phases[place])]
    hurrying = sum(delays.hurried(journey.delay_s, link, expected) for journey in taken)
    chain = markov.with_gap(reorder.probability, reorder.correlation or 0.0, reorder.gap)
    return _count(direction, "reordering", chain, hurrying, len(taken), chain.share)
