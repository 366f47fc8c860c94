"""Joint draws of the surface on a grid, over what its parameters may be as well.

Parameters are drawn by sampling importance resampling (Rubin 1988) from a normal distribution at the
posterior's mode: with the best ones alone the bands would be too narrow while there are few points.
"""

import numpy as np

from pronghorn.mapping.domain import Array
from pronghorn.mapping.surface import BOUNDS, SPREAD, Data, Surface, objective

PROPOSALS = 64
PARAMETERS = 12
DRAWS = 2400
"""Of the surface in all, shared equally by the parameters that were drawn."""

_STEP = 1e-3
_JITTER = 1e-7
"""Added to the grid's variances, for the sake of arithmetic: a standard deviation of 0.03 %."""


def parameters(data: Data, mode: Array, rng: np.random.Generator) -> Array:
    """Draws of the parameters' logarithms: (PARAMETERS, 5), some of them equal."""
    spread = np.linalg.cholesky(_inverse_curvature(data, mode))
    steps = rng.standard_normal((PROPOSALS, len(mode)))
    low, high = np.array(BOUNDS).T
    proposals = np.clip(mode + steps @ spread.T, low, high)
    heights = np.array([-objective(one, data)[0] for one in proposals]) + 0.5 * (steps**2).sum(axis=1)
    weights = np.exp(heights - heights.max())
    marks = (np.arange(PARAMETERS) + rng.uniform()) / PARAMETERS
    chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), marks)
    return np.asarray(proposals[np.minimum(chosen, PROPOSALS - 1)])


def draws(data: Data, thetas: Array, places: Array, rng: np.random.Generator) -> Array:
    """The surface at `places` (m, 3), drawn jointly: (DRAWS, m)."""
    each = DRAWS // len(thetas)
    found = []
    for theta in thetas:
        mean, covariance = Surface(data, theta).at(places)
        covariance[np.diag_indices_from(covariance)] += _JITTER
        spread = np.linalg.cholesky(covariance)
        found.append(mean + rng.standard_normal((each, len(places))) @ spread.T)
    return np.concatenate(found)


def _inverse_curvature(data: Data, mode: Array) -> Array:
    """The covariance of the normal distribution at the mode (Laplace's method), no wider than the prior."""
    columns = []
    for place in range(len(mode)):
        step = np.zeros(len(mode))
        step[place] = _STEP
        ahead, behind = objective(mode + step, data)[1], objective(mode - step, data)[1]
        columns.append((ahead - behind) / (2 * _STEP))
    curvature = np.array(columns)
    scaled = (curvature + curvature.T) / 2 * np.outer(SPREAD, SPREAD)
    values, vectors = np.linalg.eigh(scaled)
    inverse = vectors @ np.diag(1 / np.maximum(values, 1.0)) @ vectors.T
    return np.asarray(inverse * np.outer(SPREAD, SPREAD))
