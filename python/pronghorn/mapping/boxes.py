"""Parts of a map that can be said in a few words: corners of the grid, cut off by one value on some of the
axes."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.mapping.domain import Array

Mask = npt.NDArray[np.bool_]

PURE = 0.9
"""The share of a box, in expectation, that has the verdict of its sentence, without what earlier boxes cover.
"""

EDGE = 0.75
"""The share of each edge that has it: a large inside does not make up for an edge without it."""

LEAST_SHARE = 0.04
"""The share of the map below which a phrase is not worth writing."""

_SIMPLER = 1.3
"""A box with a further condition must cover this many times as much."""


class Cut(NamedTuple):
    """A condition: the places of `axis` from `node` on, or up to it."""

    axis: int
    node: int
    upwards: bool


class Box(NamedTuple):
    """The conditions that hold together, and the nodes at which they do."""

    cuts: tuple[Cut, ...]
    nodes: Mask


def boxes(probability: Array, most: int = 2) -> list[Box]:
    """At most `most` boxes, each wholly of a corner of the grid, which together cover the most nodes of a
    verdict that has the `probability` at each node; the largest first."""
    found: list[Box] = []
    covered = np.zeros(probability.shape, dtype=np.bool_)
    for _ in range(most):
        best = _best(probability, covered)
        if best is None:
            break
        found.append(best)
        covered |= best.nodes
    return found


def _best(probability: Array, covered: Mask) -> Box | None:
    """The box that covers the most nodes which no other one covers: the simpler one, unless another has much
    more."""
    best: dict[int, tuple[int, Box]] = {}
    for upwards in product((False, True), repeat=probability.ndim):
        for corner, gain in _corners(probability, covered, upwards):
            conditions = len(corner)
            if gain > best.get(conditions, (0, None))[0]:
                best[conditions] = gain, Box(corner, _nodes(corner, probability.shape))
    chosen: tuple[int, Box] | None = None
    for conditions in sorted(best):
        if chosen is None or best[conditions][0] > _SIMPLER * chosen[0]:
            chosen = best[conditions]
    if chosen is None or chosen[0] < LEAST_SHARE * probability.size:
        return None
    return chosen[1]


def _corners(probability: Array, covered: Mask, upwards: Sequence[bool]) -> list[tuple[tuple[Cut, ...], int]]:
    """The pure boxes at one corner of the grid, for each number of conditions the one that gains most."""
    flips = tuple(axis for axis, up in enumerate(upwards) if up)
    shape = probability.shape
    fresh = np.flip((~covered).astype(np.float64), flips)
    true = np.flip(probability, flips) * fresh
    pure = _summed(true) >= PURE * _summed(fresh)
    conditions = np.zeros(shape, dtype=np.int64)
    for axis, length in enumerate(shape):
        others = [other for other in range(len(shape)) if other != axis]
        cut = np.indices(shape)[axis] < length - 1
        pure &= ~cut | (_summed(true, others) >= EDGE * _summed(fresh, others))
        conditions += cut
    gains = np.where(pure, _summed(fresh), 0.0)
    found = []
    for number in range(len(shape) + 1):
        masked = np.where(conditions == number, gains, 0.0)
        place = np.unravel_index(int(np.argmax(masked)), shape)
        if masked[place] > 0:
            cuts = tuple(
                Cut(axis, shape[axis] - 1 - int(last) if up else int(last), up)
                for axis, (last, up) in enumerate(zip(place, upwards, strict=True))
                if last < shape[axis] - 1
            )
            found.append((cuts, int(masked[place])))
    return found


def _summed(values: Array, axes: Sequence[int] = (0, 1, 2)) -> Array:
    """At each node the sum over all nodes that come no later on each of the axes."""
    for axis in axes:
        values = values.cumsum(axis=axis)
    return values


def _nodes(cuts: Sequence[Cut], shape: tuple[int, ...]) -> Mask:
    mask = np.ones(shape, dtype=np.bool_)
    for cut in cuts:
        here = np.indices(shape)[cut.axis]
        mask &= here >= cut.node if cut.upwards else here <= cut.node
    return mask
