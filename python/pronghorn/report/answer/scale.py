"""Where ratios lie in the first screen's drawing: faster is always right, whatever is measured."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pronghorn.model.summary import HIGHER_IS_BETTER, Comparison, Interval
from pronghorn.report.ratio_axis import LEAST, MOST, ratio_ticks

_TICKED_PX = 300
"""The width for which ticks are chosen: that of the drawing on a telephone."""

_ROOM = 0.05
"""What an axis has to spare at each end, as a share of what it shows."""

_LEAST_SIDE = 0.35
"""How long the shorter side of the axis is at least against the longer one: `slower` stands above it."""


class Scale(NamedTuple):
    """A logarithmic axis of how fast an arm is against the baseline, from `low` to `high`."""

    low: float
    high: float

    def place(self, speed: float) -> float:
        """Where a speed lies, in per cent of the width; beyond an end, at that end."""
        held = min(max(speed, self.low), self.high)
        return round(100 * math.log(held / self.low) / math.log(self.high / self.low), 1)


class Tick(NamedTuple):
    """A grid line: its place in per cent, and the ratio that it stands for."""

    place: float
    ratio: str


def speeds(found: Comparison) -> Interval:
    """The interval of a comparison as speeds against the baseline's; None where an end isn't finite."""
    low, high = found.ci95
    if found.metric in HIGHER_IS_BETTER:
        return low, high
    return (1 / high if high else None), (1 / low if low else None)


def speed(found: Comparison) -> float | None:
    """How fast an arm is against the baseline: 0 where half of its loads failed, infinite where half of the
    baseline's did. None where there is no ratio."""
    if found.ratio is None:
        return 0.0 if found.verdict == "slower" else None
    if found.metric in HIGHER_IS_BETTER:
        return found.ratio
    return 1 / found.ratio if found.ratio else math.inf


def scale(found: Iterable[Comparison], margin: float) -> Scale:
    """The axis on which all of these have room, and the margin."""
    ends = [1 / (1 + 2 * margin), 1 + 2 * margin]
    for one in found:
        ends += [each for each in (speed(one), *speeds(one)) if each and math.isfinite(each)]
    low, high = max(LEAST, min(ends)), min(MOST, max(ends))
    low, high = min(low, high**-_LEAST_SIDE), max(high, low**-_LEAST_SIDE)
    spare = (high / low) ** _ROOM
    return Scale(low / spare, high * spare)


def ticks(of: Scale, metrics: Sequence[str]) -> list[Tick]:
    """Grid lines at round ratios of what is measured; at round speeds where times and rates are mixed."""
    inverse = not any(metric in HIGHER_IS_BETTER for metric in metrics)
    low, high = (1 / of.high, 1 / of.low) if inverse else of
    return [
        Tick(of.place(1 / tick if inverse else tick), f"{tick:g}")
        for tick in ratio_ticks(low, high, _TICKED_PX, [])
    ]
