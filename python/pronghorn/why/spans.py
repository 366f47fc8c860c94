"""Sets of moments: spans of time that don't overlap, in ascending order."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]
Truths = NDArray[np.bool_]


class Spans(NamedTuple):
    """Spans from `from_s` on until just before `to_s`, both in seconds; none is empty, no two touch."""

    from_s: Times
    to_s: Times

    @property
    def length_s(self) -> float:
        """How long they are together."""
        return float((self.to_s - self.from_s).sum())

    def hold(self, at_s: Times) -> Truths:
        """Which of some moments lie in them."""
        if not len(self.from_s):
            return np.zeros(len(at_s), dtype=np.bool_)
        place = np.searchsorted(self.from_s, at_s, side="right") - 1
        return (place >= 0) & (at_s < self.to_s[np.maximum(place, 0)])

    def end_s(self, at_s: Times) -> Times:
        """When the span ends in which each of some moments lies; the moment itself where it lies in none."""
        held = self.hold(at_s)
        if not held.any():
            return at_s
        place = np.maximum(np.searchsorted(self.from_s, at_s, side="right") - 1, 0)
        return np.where(held, self.to_s[place], at_s)

    def later(self, by_s: float) -> "Spans":
        """The same, moved on the axis."""
        return Spans(self.from_s + by_s, self.to_s + by_s)


NONE = Spans(np.empty(0), np.empty(0))


def spans(from_s: Times, to_s: Times) -> Spans:
    """Spans that may overlap or be empty, in any order, made one set."""
    some = to_s > from_s
    if not some.any():
        return NONE
    order = np.argsort(from_s[some], kind="stable")
    begins, ends = from_s[some][order], to_s[some][order]
    reached = np.maximum.accumulate(ends)
    fresh = np.concatenate(([True], begins[1:] > reached[:-1]))
    last = np.concatenate((np.flatnonzero(fresh)[1:] - 1, [len(begins) - 1]))
    return Spans(begins[fresh], reached[last])


def span(from_s: float, to_s: float) -> Spans:
    """One span; none where it is empty."""
    return spans(np.array([from_s]), np.array([to_s]))


def together(sets: Iterable[Spans]) -> Spans:
    """The moments of any of them."""
    given = list(sets)
    if not given:
        return NONE
    return spans(np.concatenate([one.from_s for one in given]), np.concatenate([one.to_s for one in given]))


def common(one: Spans, other: Spans) -> Spans:
    """The moments of both."""
    return _combined(one, other, np.logical_and)


def without(one: Spans, other: Spans) -> Spans:
    """The moments of the one that are none of the other's."""
    return _combined(one, other, lambda here, there: here & ~there)


def _combined(one: Spans, other: Spans, chosen: Callable[[Truths, Truths], Truths]) -> Spans:
    ends = np.unique(np.concatenate((*one, *other)))
    if len(ends) < 2:
        return NONE
    begins = ends[:-1]
    kept = chosen(one.hold(begins), other.hold(begins))
    return spans(begins[kept], ends[1:][kept])
