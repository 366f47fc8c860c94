"""How much the blocks of a point vary, which differs over a map: loss makes load times scatter.

With a few blocks a point, its own variance is worth little; that of the points around is pooled with it, by a
Gaussian kernel (Nadaraya 1964, Watson 1964), and with a small share of all points'. The variances then stand
as known in the surface's likelihood, as in stochastic kriging (Ankenman, Nelson & Staum, "Stochastic Kriging
for Simulation Metamodeling", Operations Research 58, 2010).
"""

from collections.abc import Sequence

import numpy as np

from pronghorn.mapping.domain import Array

REACH = 0.25
"""The kernel's standard deviation, in the unit cube."""

SHARED_DF = 2.0
"""The weight of the variance over all points beside that of the points nearby, in degrees of freedom."""

LEAST_VARIANCE = 1e-5
"""Of one block's log ratio: a standard deviation of 0.3 %."""

UNKNOWN_VARIANCE = 0.04
"""Where no point has a second block: a standard deviation of 20 %."""


def block_variances(at: Array, places: Array, blocks: Sequence[Sequence[float]]) -> Array:
    """The variance of one block's log ratio at each of `at` (n, 3), judged by the `blocks` that were measured
    at `places` (m, 3) of the unit cube: (n,)."""
    squares = np.array([float(np.var(one)) * len(one) for one in blocks])
    freedom = np.array([len(one) - 1.0 for one in blocks])
    if freedom.sum() <= 0:
        return np.full(len(at), UNKNOWN_VARIANCE)
    overall = squares.sum() / freedom.sum()
    distances = ((at[:, None, :] - places[None, :, :]) ** 2).sum(axis=2)
    weights = np.exp(-distances / (2 * REACH**2))
    pooled = (weights @ squares + SHARED_DF * overall) / (weights @ freedom + SHARED_DF)
    return np.asarray(np.maximum(pooled, LEAST_VARIANCE))
