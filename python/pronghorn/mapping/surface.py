"""The response surface: the mean log ratio over the unit cube as a Gaussian process.

Its covariance is Matérn's with ν = 5/2 and a length a dimension, plus a constant; each observation has its
own known noise, and a nugget takes what the surface can't follow. Source, for every formula here: Rasmussen &
Williams, "Gaussian Processes for Machine Learning" (2006): prediction 2.25 and 2.26, marginal likelihood 2.30
with its gradient 5.9, covariance 4.17, leave-one-out 5.12.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pronghorn.mapping.domain import Array

OFFSET_SD = 0.3
"""Before anything is measured the whole surface lies this far from zero, as a log ratio."""

CENTRE = np.log(np.array([0.5, 0.5, 0.5, 0.2, 0.02]))
SPREAD = np.array([0.7, 0.7, 0.7, 1.0, 1.0])
"""The prior of the logarithms of the parameters: lengths in the unit cube, the surface's standard deviation
and the nugget's, as log ratios. Normal, weakly informative."""

BOUNDS = [(float(low), float(high)) for low, high in np.log([(0.05, 5)] * 3 + [(0.005, 3), (1e-3, 0.5)])]

_ROOT5 = float(np.sqrt(5))


@dataclass(frozen=True)
class Data:
    """Places in the unit cube (n, 3), the mean log ratio observed at each, and that mean's variance."""

    places: Array
    means: Array
    variances: Array

    @cached_property
    def squares(self) -> Array:
        """The squared distances along each axis, (3, n, n)."""
        columns = self.places.T
        return np.asarray((columns[:, :, None] - columns[:, None, :]) ** 2)


class Surface:
    """The process after the `data`, with parameters whose logarithms are `theta` (5,)."""

    def __init__(self, data: Data, theta: Array) -> None:
        self.theta = theta
        self._data = data
        full = _covariance(data.places, data.places, theta) + np.diag(data.variances + np.exp(2 * theta[4]))
        self._inverse = np.linalg.inv(full)
        self._weights = self._inverse @ data.means

    def at(self, places: Array) -> tuple[Array, Array]:
        """Its mean (m,) and its covariance (m, m) at `places` (m, 3)."""
        across = _covariance(places, self._data.places, self.theta)
        covariance = _covariance(places, places, self.theta) - across @ self._inverse @ across.T
        return across @ self._weights, (covariance + covariance.T) / 2

    def left_out(self) -> Array:
        """Each observation's distance from what the others foretell of it, in standard deviations: (n,)."""
        distances, variances = self.foretold()
        return np.asarray(distances / np.sqrt(variances))

    def foretold(self) -> tuple[Array, Array]:
        """Each observation's distance from what the others foretell of it, and the variance which that was to
        have, noise and nugget among it: (n,), (n,)."""
        variances = 1 / np.diag(self._inverse)
        return np.asarray(self._weights * variances), np.asarray(variances)


def fit(data: Data, start: Array | None = None) -> Array:
    """The logarithms of the parameters with the highest posterior density; `start` is a guess."""
    from scipy.optimize import minimize

    starts = [CENTRE] if start is None else [CENTRE, start]
    found = [
        minimize(objective, one, args=(data,), jac=True, method="L-BFGS-B", bounds=BOUNDS) for one in starts
    ]
    best = min(found, key=lambda one: float(one.fun))
    return np.asarray(best.x, dtype=np.float64)


def objective(theta: Array, data: Data) -> tuple[float, Array]:
    """The negative logarithm of the parameters' posterior density, up to a constant, with its gradient."""
    lengths, signal, nugget = np.exp(theta[:3]), np.exp(2 * theta[3]), np.exp(2 * theta[4])
    scaled = data.squares / lengths[:, None, None] ** 2
    distance = _ROOT5 * np.sqrt(scaled.sum(axis=0))
    decay = np.exp(-distance)
    matern = signal * (1 + distance + distance**2 / 3) * decay
    full = OFFSET_SD**2 + matern + np.diag(data.variances + nugget)
    lower = np.linalg.cholesky(full)
    inverse = np.linalg.inv(full)
    weights = inverse @ data.means
    away = (theta - CENTRE) / SPREAD
    value = 0.5 * data.means @ weights + np.log(np.diag(lower)).sum() + 0.5 * away @ away
    inner = inverse - np.outer(weights, weights)
    slope = inner * (signal * 5 / 3 * (1 + distance) * decay)
    along = [0.5 * float((slope * one).sum()) for one in scaled]
    gradient = np.array([*along, float((inner * matern).sum()), nugget * float(np.trace(inner))])
    return float(value), gradient + away / SPREAD


def _covariance(one: Array, other: Array, theta: Array) -> Array:
    """Of the surface itself, without noise and nugget: (len(one), len(other))."""
    lengths = np.exp(theta[:3])
    a, b = one / lengths, other / lengths
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * a @ b.T
    distance = _ROOT5 * np.sqrt(np.maximum(squares, 0))
    return np.asarray(
        OFFSET_SD**2 + np.exp(2 * theta[3]) * (1 + distance + distance**2 / 3) * np.exp(-distance)
    )
