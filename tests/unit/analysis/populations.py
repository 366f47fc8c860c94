"""Populations of paired load times with known ratios, by which intervals are judged.

Each draws (experiments, blocks, 2) times; the two arms of a block are correlated, as a shared path seed makes
them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

Times = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Times]


@dataclass(frozen=True)
class Population:
    """`draw(rng, experiments, blocks)` gives the times; the ratio is arm 0 over arm 1, 1 where both are
    alike.
    """

    name: str
    draw: Draw
    alike: bool = True

    def ratio(self, statistic: Callable[..., Times]) -> float:
        """The true ratio of a statistic, exact for equal arms and otherwise from a million draws."""
        if self.alike:
            return 1.0
        arm, baseline = self._values(statistic)
        return arm / baseline

    def difference(self, statistic: Callable[..., Times]) -> float:
        """The true difference of a statistic, likewise."""
        if self.alike:
            return 0.0
        arm, baseline = self._values(statistic)
        return arm - baseline

    def _values(self, statistic: Callable[..., Times]) -> tuple[float, float]:
        times = self.draw(np.random.default_rng(99), 1_000_000, 1).reshape(-1, 2)
        values = statistic(times, axis=0)
        return float(values[0]), float(values[1])


def _normal(rng: np.random.Generator, experiments: int, blocks: int, correlation: float) -> Times:
    common = rng.standard_normal((experiments, blocks, 1))
    own = rng.standard_normal((experiments, blocks, 2))
    return np.asarray(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)


def log_normal(sigma: float, correlation: float) -> Draw:
    """A load whose delays multiply."""
    return lambda rng, experiments, blocks: np.exp(sigma * _normal(rng, experiments, blocks, correlation))


def heavy(scale: float, correlation: float) -> Draw:
    """Log-times with Student's t of three degrees of freedom."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        common = rng.standard_t(3, (experiments, blocks, 1))
        own = rng.standard_t(3, (experiments, blocks, 2))
        return np.asarray(np.exp(scale * (np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)))

    return draw


def stalling(share: float, correlation: float) -> Draw:
    """A steady load (5 % spread), of which a share waits an exponential time for a lost packet's time-out."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        luck = norm.cdf(_normal(rng, experiments, blocks, correlation))
        steady = np.exp(0.05 * rng.standard_normal((experiments, blocks, 2)))
        return np.asarray(steady * (1 + np.where(luck < share, rng.exponential(1.0, steady.shape), 0.0)))

    return draw


def exponential(correlation: float) -> Draw:
    """A floor and an exponential wait above it."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        return np.asarray(0.3 - np.log(norm.cdf(_normal(rng, experiments, blocks, correlation))))

    return draw


def stepped(correlation: float) -> Draw:
    """Whole round trips, a Poisson number of them, with a trifle of noise."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        uniform = norm.cdf(_normal(rng, experiments, blocks, correlation))
        trips = np.searchsorted(_POISSON_3, uniform)
        return 1 + 0.2 * trips + 0.01 * rng.random(uniform.shape)

    return draw


_POISSON_3 = np.cumsum([np.exp(-3.0) * 3.0**k / np.prod(np.arange(1.0, k + 1)) for k in range(25)])


def two_modes() -> Draw:
    """h2's loads on the path `lte`: about half of them near 620 ms, the others near 785 ms, for slow start
    that HyStart ends early or not (the default experiment's runs, in seconds)."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        shape = (experiments, blocks, 2)
        early = rng.random(shape) < 0.5
        centre, spread = np.where(early, 0.785, 0.62), np.where(early, 0.025, 0.045)
        return np.asarray(centre * np.exp(spread * rng.standard_normal(shape)))

    return draw


def against(arm: Draw, baseline: Draw) -> Draw:
    """Two different arms."""

    def draw(rng: np.random.Generator, experiments: int, blocks: int) -> Times:
        first, second = arm(rng, experiments, blocks), baseline(rng, experiments, blocks)
        return np.stack([first[..., 0], second[..., 1]], axis=-1)

    return draw


POPULATIONS = (
    Population("log-normal σ 0.1, ρ 0", log_normal(0.1, 0)),
    Population("log-normal σ 0.5, ρ 0.5", log_normal(0.5, 0.5)),
    Population("log-normal σ 0.3, ρ 0.9", log_normal(0.3, 0.9)),
    Population("log-normal σ 1, ρ 0", log_normal(1.0, 0)),
    Population("log-t₃ 0.3, ρ 0.3", heavy(0.3, 0.3)),
    Population("10 % stall, ρ 0", stalling(0.1, 0)),
    Population("30 % stall, ρ 0.3", stalling(0.3, 0.3)),
    Population("50 % stall, ρ 0.3", stalling(0.5, 0.3)),
    Population("exponential, ρ 0.3", exponential(0.3)),
    Population("whole round trips, ρ 0.3", stepped(0.3)),
    Population("two modes, ρ 0", two_modes()),
    Population("log-normal σ 0.1 / 30 % stall", against(log_normal(0.1, 0), stalling(0.3, 0)), alike=False),
    Population("log-normal σ 0.5 / exponential", against(log_normal(0.5, 0), exponential(0)), alike=False),
)

LTE = (
    Population("h1's and h3's, log-normal σ 0.024", log_normal(0.024, 0)),
    Population("h2's, two modes", two_modes()),
)
"""The noise of the arms on the path `lte`, from two runs of the default experiment (24 blocks): the
logarithms of h1's and h3's times have a standard deviation of 0.014 to 0.024."""
