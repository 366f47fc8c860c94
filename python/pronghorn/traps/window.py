"""How much came in a round trip, and whether the sender stood still between."""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from pronghorn.traps.facts import Times, Visit

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


_PHASE = 0.15
"""Of the looks: a number of responses under way that was there for less says nothing."""

_AGREE = 1.15
"""By how much what came may differ where it is said to be the same for any number of responses."""

Holds = Literal["either", "connection", "response"]


class Window(NamedTuple):
    """What came while the largest response did: `bytes` in a round trip (the 90th percentile over all of
    them), how `steady` that is (median over it, at most 1), the share of the time in which nothing came for
    longer than a quarter of a round trip (`idle`), by how much it grew (the median of its second half over
    that of its first), and how many such pauses there were in a round trip.

    What it `holds`: `bytes` are those of one response (`response`) where several numbers of them were under
    way and it was the same for each; otherwise all of the connection's. With a single response that is
    `either`."""

    bytes: float
    steady: float
    idle: float
    growth: float
    pauses: float
    holds: Holds


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
    inside = (flow.arrived_s >= begin_s) & (flow.arrived_s <= one.last_byte_s)
    times, sizes = flow.arrived_s[inside], flow.sizes[inside]
    if len(times) < LEAST_ROUND_TRIPS:
        return None
    total = np.concatenate(([0.0], np.cumsum(sizes)))
    starts_s = np.linspace(begin_s, end_s, _LOOKS)
    first = np.searchsorted(times, starts_s)
    after = np.searchsorted(times, starts_s + _ALMOST * trip_s)
    numbers = _under_way(visit, starts_s, trip_s)
    if np.count_nonzero(numbers) < _LOOKS * _PHASE:
        return None
    in_a_trip, holds = _per((total[after] - total[first])[numbers > 0], numbers[numbers > 0])
    most = float(np.quantile(in_a_trip, 0.9))
    if most <= 0:
        return None
    gaps_s = np.diff(times)
    idle = float(gaps_s[gaps_s > _PAUSE * trip_s].sum() / max(times[-1] - times[0], 1e-9))
    pauses = np.count_nonzero(gaps_s > _PAUSE * trip_s) * trip_s / max(times[-1] - times[0], 1e-9)
    halves = [float(np.median(half)) for half in np.array_split(in_a_trip, 2)]
    growth = halves[1] / halves[0] if halves[0] > 0 else np.inf
    return Window(most, float(np.median(in_a_trip)) / most, idle, growth, float(pauses), holds)


def _under_way(visit: Visit, starts_s: Times, trip_s: float) -> Times:
    """How many responses came during each look; 0 where one began or ended in it, but for the small ones."""
    number = np.ones(len(starts_s))
    mixed = np.zeros(len(starts_s), dtype=bool)
    if visit.page.outcome != "ok":
        return number  # of a load that didn't end, all that came is taken for one response
    largest = visit.largest
    for other in visit.page.resources:
        if other is largest or other.first_byte_s is None or other.last_byte_s is None:
            continue
        if other.last_byte_s - other.first_byte_s < trip_s:
            continue
        whole = (starts_s >= other.first_byte_s) & (starts_s + trip_s <= other.last_byte_s)
        touched = (starts_s + trip_s > other.first_byte_s) & (starts_s < other.last_byte_s)
        number += whole
        mixed |= touched & ~whole
    number[mixed] = 0
    return number


def _per(in_a_trip: Times, numbers: Times) -> tuple[Times, Holds]:
    """What came in a round trip, of one response where that is what stayed the same."""
    often = [one for one in np.unique(numbers) if np.mean(numbers == one) >= _PHASE]
    if len(often) < 2:
        return in_a_trip, "either" if np.all(numbers == 1) else "connection"
    middles = np.array([np.median(in_a_trip[numbers == one]) for one in often])
    each = middles / np.array(often)
    if each.min() > 0 and each.max() <= _AGREE * each.min():
        return in_a_trip / numbers, "response"
    return in_a_trip, "connection"
