"""Which bootstrap interval to trust at a dozen blocks: the study behind docs/methodology.md.

    python -m tests.unit.analysis.interval_study [EXPERIMENTS] [BLOCKS…]

prints, as Markdown, the coverage of nominal 95 % intervals in per cent for each population, statistic and
number of blocks, and the interval's median width on the logarithm; of quantiles where so many blocks hold
ten values beyond them.
"""

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import iqr, norm, t

from pronghorn.analysis.figures import QUANTILES, rank
from pronghorn.analysis.verdict import LEAST_BLOCKS
from pronghorn.model.summary import Statistic

from .coverage import truth_of
from .populations import POPULATIONS, Times

Interval = tuple[float, float]
RESAMPLES = 2000
TAILS = (0.025, 0.975)


def percentile(estimates: Times) -> Interval:
    low, high = np.quantile(estimates, TAILS)
    return float(low), float(high)


def expanded(estimates: Times, n: int) -> Interval:
    """Hesterberg, "What Teachers Should Know About the Bootstrap" (2015): as wide as Student's t asks."""
    tail = norm.cdf(np.sqrt(n / (n - 1)) * t.ppf(0.025, n - 1))
    low, high = np.quantile(estimates, (tail, 1 - tail))
    return float(low), float(high)


def basic(estimates: Times, centre: float) -> Interval:
    low, high = percentile(estimates)
    return 2 * centre - high, 2 * centre - low


def accelerated(estimates: Times, centre: float, jackknife: Times) -> Interval:
    """BCa: Efron, "Better bootstrap confidence intervals" (1987)."""
    below = np.mean(estimates < centre) + 0.5 * np.mean(estimates == centre)
    bias = norm.ppf(np.clip(below, 1e-4, 1 - 1e-4))
    influence = jackknife.mean() - jackknife
    acceleration = np.sum(influence**3) / (6 * np.sum(influence**2) ** 1.5 + 1e-30)
    shifted = bias + norm.ppf(TAILS)
    low, high = np.quantile(estimates, norm.cdf(bias + shifted / (1 - acceleration * shifted)))
    return float(low), float(high)


def standard_error(estimates: Times, centre: float, n: int) -> Interval:
    reach = t.ppf(0.975, n - 1) * estimates.std()
    return centre - reach, centre + reach


def medians(times: Times, draws: npt.NDArray[np.int64], rng: np.random.Generator) -> dict[str, Interval]:
    """The candidates for the ratio of medians, on the logarithm."""
    logs, n = np.log(times), len(times)

    def statistic(values: Times) -> Times:
        middle = np.median(values, axis=-2)
        return np.asarray(middle[..., 0] - middle[..., 1])

    centre = float(statistic(logs))
    estimates = statistic(logs[draws])
    spread = np.minimum(logs.std(axis=0, ddof=1), iqr(logs, axis=0) / 1.349)
    noise = 0.53 * n**-0.2 * spread * rng.standard_normal((len(draws), n, 2))
    smoothed = statistic(logs[draws] + noise)
    jackknife = np.array([statistic(np.delete(logs, gone, axis=0)) for gone in range(n)])
    return {
        "percentile": percentile(estimates),
        "expanded": expanded(estimates, n),
        "basic": basic(estimates, centre),
        "BCa": accelerated(estimates, centre, jackknife),
        "smoothed": percentile(smoothed),
        "SE × t": standard_error(estimates, centre, n),
    }


def means(times: Times, draws: npt.NDArray[np.int64], _rng: np.random.Generator) -> dict[str, Interval]:
    """The candidates for the ratio of means, on the logarithm."""
    n = len(times)

    def statistic(values: Times) -> Times:
        mean = values.mean(axis=-2)
        return np.asarray(np.log(mean[..., 0] / mean[..., 1]))

    def error(values: Times) -> Times:
        relative = values / values.mean(axis=-2, keepdims=True)
        return np.asarray((relative[..., 0] - relative[..., 1]).std(axis=-1, ddof=1) / np.sqrt(n))

    centre, own_error = float(statistic(times)), float(error(times))
    estimates = statistic(times[draws])
    pivots = (estimates - centre) / np.maximum(error(times[draws]), 1e-3 * own_error)
    low, high = percentile(pivots)
    reach = t.ppf(0.975, n - 1)
    jackknife = np.array([statistic(np.delete(times, gone, axis=0)) for gone in range(n)])
    return {
        "percentile": percentile(estimates),
        "expanded": expanded(estimates, n),
        "basic": basic(estimates, centre),
        "BCa": accelerated(estimates, centre, jackknife),
        "bootstrap-t": (centre - high * own_error, centre - low * own_error),
        "Student": (centre - reach * own_error, centre + reach * own_error),
        "their hull": (centre - max(high, reach) * own_error, centre - min(low, -reach) * own_error),
        "SE × t": standard_error(estimates, centre, n),
    }


def ordered(
    statistic: Callable[..., Times],
) -> Callable[[Times, npt.NDArray[np.int64], np.random.Generator], dict[str, Interval]]:
    """The candidates for the ratio of quantiles or trimmed means, on the logarithm."""

    def candidates(
        times: Times, draws: npt.NDArray[np.int64], _rng: np.random.Generator
    ) -> dict[str, Interval]:
        n = len(times)

        def log_ratio(values: Times) -> Times:
            found = statistic(values, axis=-2)
            return np.asarray(np.log(found[..., 0] / found[..., 1]))

        centre, estimates = float(log_ratio(times)), log_ratio(times[draws])
        jackknife = np.array([log_ratio(np.delete(times, gone, axis=0)) for gone in range(n)])
        return {
            "percentile": percentile(estimates),
            "expanded": expanded(estimates, n),
            "basic": basic(estimates, centre),
            "BCa": accelerated(estimates, centre, jackknife),
            "SE × t": standard_error(estimates, centre, n),
        }

    return candidates


def nearest(quantile: Statistic) -> Callable[..., Times]:
    """A quantile by nearest rank."""

    def found(times: Times, axis: int) -> Times:
        place = rank(quantile, times.shape[axis]) - 1
        return np.asarray(np.take(np.partition(times, place, axis=axis), place, axis=axis))

    return found


def study(
    candidates: Callable[[Times, npt.NDArray[np.int64], np.random.Generator], dict[str, Interval]],
    statistic: Statistic,
    experiments: int,
    n: int,
) -> None:
    """Prints one table."""
    print(f"\n{statistic}, {n} blocks, {experiments} experiments a row\n")
    for place, population in enumerate(POPULATIONS):
        rng = np.random.default_rng([n, place])
        truth = np.log(population.ratio(truth_of(statistic)))
        draws = rng.integers(0, n, (RESAMPLES, n))
        found = [candidates(times, draws, rng) for times in population.draw(rng, experiments, n)]
        if not place:
            print(f"| population | {' | '.join(found[0])} |")
            print(f"|---|{'---|' * len(found[0])}")
        cells = []
        for name in found[0]:
            ends = np.array([each[name] for each in found])
            coverage = np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
            cells.append(f"{100 * coverage:.1f} ({np.median(ends[:, 1] - ends[:, 0]):.3f})")
        print(f"| {population.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for blocks in [int(argument) for argument in sys.argv[2:]] or [6, 8, 12, 20]:
        study(medians, "median", experiments, blocks)
        study(means, "mean", experiments, blocks)
        study(ordered(truth_of("trimmed_mean")), "trimmed_mean", experiments, blocks)
        for quantile in QUANTILES:
            if blocks >= LEAST_BLOCKS[quantile]:
                study(ordered(nearest(quantile)), quantile, experiments, blocks)
