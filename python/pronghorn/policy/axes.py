"""The nodes of a policy: a few round values of round trip, loss and rate, evenly spread as a map's axes
are."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.errors import InputError
from pronghorn.mapping.domain import AXES, Axis, Domain

COUNTS = (6, 7, 5)
"""The number of values of round trip, loss and rate, if a map spans the default ranges."""

FEWEST, MOST = 2, 8
"""A policy file's bounds on the values of an axis."""

_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_DIGITS = 12


class Nodes(NamedTuple):
    """The values of each axis, ascending: seconds, shares, bits per second."""

    rtt_s: tuple[float, ...]
    loss: tuple[float, ...]
    rate_bit_per_s: tuple[float, ...]


def common(domains: Sequence[Domain]) -> Domain:
    """What all of the maps span; InputError where that is not a range of each axis."""
    axes = []
    for place, name in enumerate(AXES):
        low = max(domain[place].low for domain in domains)
        high = min(domain[place].high for domain in domains)
        if low > high:
            raise InputError(f"the maps have no {name} in common; a policy covers what all of them span.")
        if low == high:
            raise InputError(
                f"the maps have a single {name} in common; a policy needs a range of each axis.",
                hint=f"Map a range of it: pronghorn map --{name} LOW..HIGH.",
            )
        axes.append(Axis(name, low, high))
    return Domain(*axes)


def nodes(domain: Domain, counts: tuple[int, int, int] = COUNTS) -> Nodes:
    """Round values near evenly spaced places of each axis, with the ranges' own ends; fewer than `counts`
    where rounding makes them one."""
    rtt, loss, rate = (_values(axis, count) for axis, count in zip(domain, counts, strict=True))
    return Nodes(rtt, loss, rate)


def _values(axis: Axis, count: int) -> tuple[float, ...]:
    inner = (_round(axis.value(place / (count - 1))) for place in range(1, count - 1))
    return tuple(sorted({axis.low, *(one for one in inner if axis.low < one < axis.high), axis.high}))


def _round(value: float) -> float:
    """The nearest round value by its logarithm."""
    power = 10.0 ** math.floor(math.log10(value))
    near = min(_ROUND, key=lambda one: abs(math.log(one * power / value)))
    return float(f"{near * power:.{_DIGITS}g}")
