"""Which packets are lost, over which transport, and what that costs."""

import math
from statistics import median

import numpy as np

from pronghorn.analysis.numbers import percent, seconds
from pronghorn.fairness.line import rate_words
from pronghorn.traps import catalogue
from pronghorn.traps.compared import flows, mostly, rate, round_trip_s, slower_s
from pronghorn.traps.episodes import Episode, alone, byte_rate, episodes, largest
from pronghorn.traps.facts import Facts, Flow, Visit
from pronghorn.traps.finding import Finding, Unknown
from pronghorn.traps.window import window

_LEAST_LOST = 10
"""Packets: fewer say nothing of a pattern, and some stacks leave out a packet number now and then."""

_LEAST_LOSS = 0.003
"""Of the packets: less hardly slows a congestion control."""

_AGAIN = 5
"""Times that a filter strikes: fewer are a queue's overflow and its consequences."""

_MOSTLY = 0.6
"""The share of lost packets that has to fit a pattern. Of independent losses of 10 %, 0.97 are alone or
two."""

_SEVERAL = 3
"""Packets lost at once, in the mean: a burst loses its end, a filter one now and then."""

_SHORT, _LONG = 2.5, 3.0
"""Round trips: what overflows a queue hears of it within two; a filter strikes as long as the rate is above
its own."""

_ALIKE_AT = 1.3
"""By how much the rates at which packets were lost may differ (three quarters of them over one quarter, and
the visits' medians): a filter has one rate, a control that backs off for chance losses has any."""

_LESS = 0.7
"""Of h2's rate: what came while UDP was dropped is the filter's rate, or that of a queue both share."""

_IDLE = 0.25
"""Of the time nothing comes from a sender that doesn't pace."""

_ALIKE = 1.35
"""Rates that differ by less are alike: three visits tell no more."""

_BUSY = 0.1
"""Of the time: where less is without packets the path is full."""

_BEYOND = 3.0
"""How far beyond Reno's rate under a loss (Mathis et al. 1997, 1.22 segments a round trip and root of the
loss) a rate has to be so that no control that backs off for losses has it; CUBIC's is up to 1.5."""

_SEGMENT = 1400

_LIKE = 0.2
"""Of UDP's loss: what TCP has to lose so that both have the same way. The estimate is good to a factor of
two or three."""

_TWICE = 2.0
"""By how much h2's rate has to be higher: where it is not, the control is no trap."""


def udp_loss(facts: Facts) -> Finding | Unknown | None:
    """UDP loses and TCP hardly does, at a higher rate. By bursts: several at once, from a sender that then
    stands still. By a filter of UDP: losses again and again, one or two packets at a time, or for long at a
    rate far below h2's."""
    lossy = _lossy(facts)
    if not lossy:
        return None
    excess, by_tcp, loss = slower_s(facts), _lost_by_tcp(facts), _share(lossy)
    if excess is None or (excess and by_tcp is None):
        why = f"{percent(loss)} of the packets were lost over UDP; how TCP fares isn't known"
        return Unknown(catalogue.POLICED, why)
    if not excess or by_tcp is None or by_tcp >= loss * _LIKE:
        return None
    fast = rate(facts, "h2")
    at = f"at {rate_words(fast)}" if fast else "at a higher rate"
    said = f"{percent(loss)} of the packets were lost over UDP, {'few' if by_tcp else 'none'} over TCP {at}."
    if mostly(_is_burst(visit, flow) for visit, flow in flows(facts) if any(flow is one for one in lossy)):
        return Finding(catalogue.BURST_LOSS, f"{said} They were lost at once.", excess)
    if mostly(_is_filtered(one, fast) for one in lossy) or _have_a_ceiling(lossy, fast):
        return Finding(catalogue.POLICED, said, excess)
    return Unknown(catalogue.POLICED, f"{said} Whether a limit of the rate drops them isn't known")


def congestion_control(facts: Facts) -> Finding | Unknown | None:
    """Both lose, and h2 is faster than any control that backs off for such a loss could be."""
    lossy, trip_s = _lossy(facts), round_trip_s(facts, "h3")
    slow, fast = rate(facts, "h3"), rate(facts, "h2")
    if not lossy or not slow or not fast or not trip_s or not _tcp_loses(facts):
        return None
    loss = _share(lossy)
    bound = 1.22 * _SEGMENT / (trip_s * math.sqrt(loss))
    if fast < _BEYOND * bound or fast < _TWICE * slow or not slower_s(facts):
        return None
    if not mostly(alone(one) >= _MOSTLY for one in lossy) or (_lost_by_tcp(facts) or 0.0) < loss * _LIKE:
        return None
    return Finding(
        catalogue.CONGESTION,
        f"with {percent(loss)} of the packets lost, h2 came at {rate_words(fast)}, h3 at {rate_words(slow)}; "
        f"Reno would reach {rate_words(bound)}.",
        slower_s(facts),
    )


def network(facts: Facts) -> Finding | Unknown | None:
    """Both are as fast, and lose, or never pause: a path that is full."""
    slow, fast = rate(facts, "h3"), rate(facts, "h2")
    if isinstance(udp_loss(facts), Finding):
        return None
    if not slow or not fast or max(slow, fast) > _ALIKE * min(slow, fast):
        return None
    at = f"large responses come at {rate_words(slow)} over h3, {rate_words(fast)} over h2"
    lossy = _lossy(facts, least=1)
    if lossy and _tcp_loses(facts):
        lost = f"{percent(_share(lossy))} of the packets are lost over UDP, and TCP loses as well"
        return Finding(catalogue.NETWORK, f"{lost}; {at}.")
    seen = [one for visit, flow in flows(facts) if (one := window(visit)) is not None]
    if mostly(one.idle < _BUSY for one in seen):
        return Finding(catalogue.NETWORK, f"{at}, without a pause.")
    return None


def udp_detour(facts: Facts) -> Finding | Unknown | None:
    """The least round trips differ, each over all visits."""
    slow, fast = round_trip_s(facts, "h3"), round_trip_s(facts, "h2")
    if slow is None or fast is None or slow < _ALIKE * fast:
        return None
    return Finding(catalogue.UDP_DETOUR, f"{seconds(slow)} over UDP, {seconds(fast)} over TCP.")


def tcp_waits(facts: Facts) -> Finding | Unknown | None:
    """h2 is slower, TCP loses, and several responses were under way."""
    excess = slower_s(facts, "h2")
    several = [sum(one.bytes > _SEGMENT for one in visit.page.resources) > 1 for visit in facts.of("h2")]
    if not excess or not _tcp_loses(facts) or not mostly(several):
        return None
    return Finding(catalogue.TCP_WAITS, "h2 is slower, and TCP's segments came out of order.", excess)


def _lossy(facts: Facts, least: int = _LEAST_LOST) -> list[Flow]:
    """The flows that lost something to speak of; none where most did not."""
    seen = [flow for _, flow in flows(facts) if flow.loss is not None]
    found = [flow for flow in seen if flow.lost >= least and (flow.loss or 0) >= _LEAST_LOSS]
    return found if found and len(found) * 3 >= len(seen) * 2 else []


def _share(lossy: list[Flow]) -> float:
    return round(median(flow.loss or 0.0 for flow in lossy), 4)


def _is_filtered(flow: Flow, fast: float | None) -> bool:
    trip_s = flow.round_trip_s or 0.0
    most = largest(flow)
    if most is None or most.to_s - most.from_s < _LONG * trip_s or most.lost < flow.lost / 2:
        return False
    return fast is not None and byte_rate(flow, most) < _LESS * fast


def _have_a_ceiling(lossy: list[Flow], fast: float | None) -> bool:
    """Whether packets were lost alone, again and again, and always when they came at one rate, far below
    h2's."""
    middles = []
    for flow in lossy:
        trip_s = flow.round_trip_s
        if not trip_s or not fast or alone(flow) < _MOSTLY or len(episodes(flow)) < _AGAIN:
            continue
        rates = [byte_rate(flow, Episode(at_s - trip_s, at_s, 1)) for at_s in flow.lost_at_s]
        low, middle, high = (float(one) for one in np.quantile(rates, (0.25, 0.5, 0.75)))
        if low > 0 and high <= _ALIKE_AT * low and middle < _LESS * fast:
            middles.append(middle)
    return len(middles) * 3 >= len(lossy) * 2 and max(middles) <= _ALIKE_AT * min(middles)


def _is_burst(visit: Visit, flow: Flow) -> bool:
    trip_s, seen = flow.round_trip_s or 0.0, window(visit)
    short = [one for one in episodes(flow) if one.to_s - one.from_s <= _SHORT * trip_s]
    at_once = sum(one.lost for one in short)
    several = at_once >= _SEVERAL * len(short) and at_once >= _MOSTLY * flow.lost
    return several and seen is not None and seen.idle >= _IDLE


def _lost_by_tcp(facts: Facts) -> float | None:
    """TCP's loss: of what was sent again, or estimated, as behind each lost segment a round trip's worth came
    out of order. None where nobody told."""
    fast, trip_s, found = rate(facts, "h2"), round_trip_s(facts, "h2"), []
    for one in facts.of("h2"):
        if one.resent is not None and one.largest is not None:
            found.append(one.resent / max(one.largest.bytes / _SEGMENT, 1.0))
        elif one.disordered == 0:
            found.append(0.0)
        elif one.disordered is not None and fast and trip_s and one.largest is not None:
            lost = one.disordered / max(fast * trip_s / _SEGMENT, 1.0)
            found.append(lost / max(one.page.bytes or one.largest.bytes, 1) * _SEGMENT)
    return median(found) if found else None


def _tcp_loses(facts: Facts) -> bool | None:
    """Whether TCP lost something in most visits, or (False) nothing; None where nobody told, or they
    differ."""
    each = [one.disordered if one.resent is None else one.resent for one in facts.of("h2")]
    told = [one for one in each if one is not None]
    if mostly(one > 0 for one in told):
        return True
    return False if mostly(one == 0 for one in told) else None
