"""How well a surface foretells what it didn't see.

Of points that were left out, the squared distance from what is foretold has two parts: the noise of the
point's own blocks, which is known, and the surface's error, which is what is left. Sources: left-out points
as in `mapping/surface.py`; taking out known noise as in Ankenman, Nelson & Staum, "Stochastic Kriging for
Simulation Metamodeling", Operations Research 58, 2010.
"""

import math
from typing import NamedTuple

import numpy as np

from pronghorn.mapping import design
from pronghorn.mapping.domain import Array
from pronghorn.mapping.surface import Surface
from pronghorn.policy.maps import SeenMap

_Z95 = 1.959963984540054


class Error(NamedTuple):
    """The standard deviation of what a surface foretells about what is true at `points` that it didn't see,
    as ln ratio, with its 95 % interval."""

    points: int
    sd: float
    low: float
    high: float


def of_distances(distances: Array, noise: Array) -> Error:
    """Of distances (n,) between what was observed and what was foretold, where the observed has noise of
    known variances (n,)."""
    squares = distances**2 - noise
    count = len(squares)
    mean = float(squares.mean())
    half = _Z95 * float(squares.std(ddof=1)) / math.sqrt(count) if count > 1 else math.inf
    sd, low, high = (math.sqrt(max(one, 0.0)) for one in (mean, mean - half, mean + half))
    return Error(count, sd, low, high)


def left_out(seen: SeenMap, theta: Array) -> Error:
    """Of each point, foretold by the map's others; `theta` are the surface's parameters."""
    data = design.data_of(seen.domain, seen.observations)
    distances, _ = Surface(data, theta).foretold()
    return of_distances(distances, data.variances)


def surface_sd(seen: SeenMap, theta: Array) -> float:
    """The standard deviation of what the surface can't follow, by its left-out points: the nugget that makes
    their distances as large as foretold, where they are larger; else the fit's own."""
    data = design.data_of(seen.domain, seen.observations)
    distances, variances = Surface(data, theta).foretold()
    nugget = math.exp(2 * float(theta[4]))
    return math.sqrt(max(nugget + float(np.mean(distances**2 - variances)), nugget))
