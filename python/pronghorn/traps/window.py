"""How much came in a round trip, and whether the sender stood still between."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pronghorn.traps.facts import Visit

LEAST_ROUND_TRIPS = 6
"""A transfer that is done in fewer is still in slow start."""

_SKIPPED = 3
"""Round trips of slow start, in which a window of 64 kB is reached from ten packets (RFC 6928)."""

_PAUSE = 0.25
"""Of a round trip: a shorter gap between packets is pacing or jitter."""

_LOOKS = 200
"""Moments at which is looked, an even number."""

_ALMOST = 0.97
"""Of a round trip: how long the look is, so that the next round's first packets aren't in it."""


class Window(NamedTuple):
    """What the largest response had: `bytes` in a round trip (the 90th percentile over all of them), how
    `steady` that is (median over it, at most 1), the share of the time in which nothing came for longer
    than a quarter of a round trip (`idle`), and by how much it grew: the median of its second half over that
    of its first."""

    bytes: float
    steady: float
    idle: float
    growth: float


@lru_cache(maxsize=64)
def window(visit: Visit) -> Window | None:
    """That of a visit, worked out once; None where its largest response is too short to say, or its packets
    or the round trip aren't known."""
    flow, one = visit.flow, visit.largest
    trip_s = flow.round_trip_s if flow is not None else None
    if flow is None or one is None or not trip_s or one.first_byte_s is None or one.last_byte_s is None:
        return None
    if one.last_byte_s - one.first_byte_s < (LEAST_ROUND_TRIPS + _SKIPPED) * trip_s:
        return None
    begin_s, end_s = one.first_byte_s + _SKIPPED * trip_s, one.last_byte_s - trip_s
    beside = _beside(visit, begin_s, end_s)
    inside = (flow.arrived_s >= begin_s) & (flow.arrived_s <= one.last_byte_s)
    times, sizes = flow.arrived_s[inside], flow.sizes[inside]
    if len(times) < LEAST_ROUND_TRIPS:
        return None
    total = np.concatenate(([0.0], np.cumsum(sizes)))
    starts_s = np.linspace(begin_s, end_s, _LOOKS)
    first = np.searchsorted(times, starts_s)
    after = np.searchsorted(times, starts_s + _ALMOST * trip_s)
    in_a_trip = (total[after] - total[first]) / (1 + beside)
    most = float(np.quantile(in_a_trip, 0.9))
    if most <= 0:
        return None
    gaps_s = np.diff(times)
    idle = float(gaps_s[gaps_s > _PAUSE * trip_s].sum() / max(times[-1] - times[0], 1e-9))
    halves = [float(np.median(half)) for half in np.split(in_a_trip, 2)]
    growth = halves[1] / halves[0] if halves[0] > 0 else np.inf
    return Window(most, float(np.median(in_a_trip)) / most, idle, growth)


def _beside(visit: Visit, begin_s: float, end_s: float) -> float:
    """How many other responses came meanwhile, each by the share of the time that it took."""
    shares = 0.0
    for other in visit.page.resources:
        if other is visit.largest or other.first_byte_s is None or other.last_byte_s is None:
            continue
        both_s = min(other.last_byte_s, end_s) - max(other.first_byte_s, begin_s)
        shares += max(both_s, 0.0) / (end_s - begin_s)
    return shares
