"""Where the surface is on one side of a level for certain, and between which nodes it crosses it.

Regions hold as a whole: with the stated confidence *all* of a region is on its side, not merely each node by
itself (excursion sets: Bolin & Lindgren, "Excursion and contour uncertainty regions for latent Gaussian
models", Journal of the Royal Statistical Society B 77, 2015). The nodes are taken in the order of their own
probabilities as long as so many of the joint draws are on that side at all of them. Of two levels, each with
95 %, both hold at once with at least 90 %.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.mapping.domain import Array

Mask = npt.NDArray[np.bool_]

CONFIDENCE = 0.95
"""That a level's boundary lies wholly in its zone of uncertainty: each side of it is given half of the error.
"""


class Sides(NamedTuple):
    """The nodes at which the surface is below a level for certain, and those at which it is above it; between
    them lies the zone in which the boundary is."""

    below: Mask
    above: Mask


class Crossing(NamedTuple):
    """Where a line of nodes crosses a level: the place by the mean surface (None where that doesn't cross
    there), and the places between which it is for certain; None where that side is beyond the map."""

    place: float | None
    low: float | None
    high: float | None


def sides(draws: Array, level: float, confidence: float = CONFIDENCE) -> Sides:
    """The sides of `level` for joint `draws` of the surface, (draws, nodes)."""
    each = 1 - (1 - confidence) / 2
    return Sides(_all_hold(draws < level, each), _all_hold(draws > level, each))


def crossings(places: Array, mean: Array, sides_: Sides, level: float) -> list[Crossing]:
    """The crossings of `level` along a line of nodes at ascending `places`, with the mean surface and the
    certain sides at each."""
    state = np.where(sides_.below, -1, np.where(sides_.above, 1, 0))
    found: list[Crossing] = []
    begins, side = -1, 0
    for here in range(len(state) + 1):
        now = int(state[here]) if here < len(state) else 0
        ended = here == len(state)
        if not ended and now == 0:
            continue
        if now != side or ended:
            place = _mean_crossing(places, mean, level, max(begins, 0), min(here, len(state) - 1))
            open_end = begins < 0 or ended
            if not (open_end and place is None):
                low = None if begins < 0 else float(places[begins])
                high = None if ended else float(places[here])
                found.append(Crossing(place, low, high))
        begins, side = here, now
    return found


def _all_hold(holds: Mask, confidence: float) -> Mask:
    order = np.argsort(-holds.mean(axis=0), kind="stable")
    together = np.logical_and.accumulate(holds[:, order], axis=1).mean(axis=0)
    mask = np.zeros(holds.shape[1], dtype=np.bool_)
    mask[order[: int((together >= confidence).sum())]] = True
    return mask


def _mean_crossing(places: Array, mean: Array, level: float, first: int, last: int) -> float | None:
    """The first crossing of the mean surface between two nodes, by a straight line between neighbours."""
    for here in range(first, last):
        before, after = float(mean[here] - level), float(mean[here + 1] - level)
        if before == 0:
            return float(places[here])
        if before * after < 0:
            share = before / (before - after)
            return float(places[here] + share * (places[here + 1] - places[here]))
    return None
