"""Chains of arms with known shares, by which the shares' intervals are judged.

Each draws (experiments, blocks, arms) times; a block's arms are correlated by 0.3, as a shared path seed
makes them. All arms have the same noise, so the ratio of two medians is that of their factors.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from .populations import Times

Noise = Callable[[np.random.Generator, tuple[int, int, int]], Times]


@dataclass(frozen=True)
class Chain:
    """Arms whose median times are as the exponentials of `logs`, under `noise`."""

    name: str
    logs: Sequence[float]
    noise: Noise

    def draw(self, rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        """The arms' times."""
        return np.asarray(np.exp(self.logs) * self.noise(rng, (experiments, blocks, len(self.logs))))

    @property
    def truths(self) -> tuple[float, float]:
        """The first step's share: of the logarithm, and of the difference."""
        whole, first = self.logs[-1] - self.logs[0], self.logs[1] - self.logs[0]
        return first / whole, math.expm1(first) / math.expm1(whole)


def log_normal(sigma: float) -> Noise:
    """A load whose delays multiply."""
    return lambda rng, shape: np.exp(sigma * _normal(rng, shape))


def stalling(share: float) -> Noise:
    """A steady load (5 % spread), of which a share waits an exponential time for a lost packet's time-out."""

    def draw(rng: np.random.Generator, shape: tuple[int, int, int]) -> Times:
        stalls = norm.cdf(_normal(rng, shape)) < share
        steady = np.exp(0.05 * rng.standard_normal(shape))
        return np.asarray(steady * (1 + np.where(stalls, rng.exponential(1.0, shape), 0.0)))

    return draw


def _normal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Times:
    common = rng.standard_normal((*shape[:2], 1))
    return np.asarray(math.sqrt(0.3) * common + math.sqrt(0.7) * rng.standard_normal(shape))


CHAINS = (
    Chain("a third and two thirds, log-normal σ 0.1", (0.0, 0.1, 0.3), log_normal(0.1)),
    Chain("against each other, log-normal σ 0.05", (0.0, -0.2, 0.2), log_normal(0.05)),
    Chain("none and all, log-normal σ 0.2", (0.0, 0.0, 0.5), log_normal(0.2)),
    Chain("half and half, 30 % stall", (0.0, -0.2, -0.4), stalling(0.3)),
    Chain("half and half, a whole near none, log-normal σ 0.1", (0.0, 0.05, 0.1), log_normal(0.1)),
)
"""The last one's whole is told apart from none in some experiments only."""
