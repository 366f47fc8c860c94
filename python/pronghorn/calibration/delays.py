"""Delay and jitter: the one-way delays of spaced probes against the distribution asked for."""

import math
from collections.abc import Iterator

import numpy as np

from pronghorn.calibration import asked
from pronghorn.calibration.design import SINGLE, LinkDesign
from pronghorn.calibration.measured import Journey, Probed, journeys, unexplained_s
from pronghorn.calibration.rows import FALSE_ALARM, Direction, Row, judge, unchecked

HANDLING_S = 0.0003
"""What a packet may take between the sockets and the link beyond what the link accounts for: the way through
two kernels, and waking who slept."""

CLOCK_S = 2e-6
"""How far the two clocks may be apart between which a delay is measured."""

LATER_SHARE = 0.02
"""The share of probes that may have been later than the link's 99th percentiles."""

_ALIKE = 0.01
"""A correlation below which two probes count as independent."""


def tolerance_s(probed: Probed, place: int) -> float:
    """How much longer than asked a probe of this phase may take."""
    return unexplained_s(probed.phases[place].link) + HANDLING_S


def rows(direction: Direction, design: LinkDesign, probed: Probed) -> Iterator[Row]:
    """The smallest and the median delay and, with jitter, the whole distribution."""
    link = design.link
    expected = asked.delay(link, design.probe_bytes)
    taken = [
        journey for journey in journeys(probed.phases[SINGLE]) if not hurried(journey.delay_s, link, expected)
    ]
    correlation = (link.jitter.correlation or 0.0) if link.jitter else 0.0
    delays = np.sort([journey.delay_s for journey in _independent(taken, correlation)])
    if len(delays) < 20:
        yield unchecked(direction, "delay", f"only {len(delays)} independent probes arrived")
        return
    late = tolerance_s(probed, SINGLE)
    if not expected.constant and link.rate_bit_per_s is not None:
        # Probes that jitter brings together wait for one another.
        late += 2 * asked.wire_s(link, design.probe_bytes)
    if expected.constant:
        least = expected.quantile(0)
        yield judge(
            direction,
            "delay (smallest)",
            "s",
            asked=least,
            measured=float(delays[0]),
            low=least - CLOCK_S,
            high=least + late,
        )
    # Half a second that runs without a calibration do without.
    from scipy.stats import beta, kstwo

    middle = (len(delays) - 1) // 2
    share = beta(middle + 1, len(delays) - middle)
    shares = float(share.ppf(FALSE_ALARM / 2)), float(share.ppf(1 - FALSE_ALARM / 2))
    yield judge(
        direction,
        "delay (median)",
        "s",
        asked=expected.quantile(0.5),
        measured=float(delays[middle]),
        low=expected.quantile(shares[0]) - CLOCK_S,
        high=expected.quantile(min(1.0, shares[1] + LATER_SHARE)) + late,
    )
    if not expected.constant:
        ranks = np.arange(1, len(delays) + 1) / len(delays)
        early = ranks - expected.share_up_to(delays + CLOCK_S)
        delayed = expected.share_below(delays - late) - (ranks - 1 / len(delays))
        yield judge(
            direction,
            "jitter (KS distance)",
            "distance",
            asked=0.0,
            measured=max(0.0, float(early.max()), float(delayed.max())),
            low=0.0,
            high=float(kstwo.ppf(1 - FALSE_ALARM, len(delays))) + LATER_SHARE,
            reason=f"of {len(delays)} probes, beyond what lateness explains",
        )


def hurried(delay_s: float, link: object, expected: asked.Delay) -> bool:
    """Whether a probe has skipped its delay: it took less than half of the least asked."""
    if getattr(link, "reorder", None) is None:
        return False
    return delay_s < expected.quantile(0) / 2


def _independent(taken: list[Journey], correlation: float) -> list[Journey]:
    if correlation <= _ALIKE:
        return taken
    if correlation >= 1:
        return taken[:1]
    apart = math.ceil(math.log(_ALIKE) / math.log(correlation))
    return [journey for journey in taken if journey.number % apart == 0]
