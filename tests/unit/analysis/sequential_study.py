"""Which sequential interval stops soonest at the same error: the study behind docs/methodology.md.

    python -m tests.unit.analysis.sequential_study [EXPERIMENTS] [LEAST MOST]

prints, as Markdown, for each candidate how often equal arms are told apart in per cent (A/A), how often the
interval at which it stopped leaves out the truth, and how many blocks it took on the average until the
verdict, where the arms differ by various ratios; the share that came to the right verdict is in brackets.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from pronghorn.analysis.sequential import Boundary, Spending, boundary, spaced

from .populations import POPULATIONS, Times

ALPHA = 0.05
MARGIN = 0.03
RESAMPLES = 2000
RATIOS = (1.0, 0.95, 0.9, 0.8, 0.5)
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Looks:
    """Intervals of the logarithm of a ratio, (experiments, looks) each, and the blocks at each look."""

    blocks: npt.NDArray[np.int64]
    low: Times
    high: Times


def obrien_fleming(fraction: float) -> float:
    """Lan & DeMets (1983): hardly anything at first."""
    return 2 * (1 - _NORMAL.cdf(_NORMAL.inv_cdf(1 - ALPHA / 4) / math.sqrt(fraction))) / (ALPHA / 2)


def pocock(fraction: float) -> float:
    """Lan & DeMets (1983): about the same at each look."""
    return math.log(1 + (math.e - 1) * fraction)


def power(exponent: float) -> Spending:
    """Kim & DeMets (1987)."""
    return lambda fraction: fraction**exponent


SPENDING: Mapping[str, Spending] = {
    "O'Brien–Fleming": obrien_fleming,
    "power 3": power(3),
    "power 2": power(2),
    "power 1.5": power(1.5),
    "power 1": power(1),
    "Pocock": pocock,
}


def signs(times: Times, least: int) -> Looks:
    """A confidence sequence for the median of the blocks' log ratios, by their signs: the mixture of binomial
    likelihoods over a uniform prior, an e-process (Robbins, "Statistical methods related to the law of the
    iterated logarithm", 1970; Howard & Ramdas, "Sequential estimation of quantiles", Bernoulli 28, 2022)."""
    differences = np.log(times[..., 0] / times[..., 1])
    looks = np.arange(least, times.shape[1] + 1)
    ends = []
    for n in looks:
        counts = np.arange(n // 2 + 1)
        evidence = betaln(counts + 1, n - counts + 1) + n * math.log(2)
        left_out = int(np.sum(evidence >= math.log(1 / ALPHA)))
        ordered = np.sort(differences[:, :n], axis=1)
        unbounded = np.full(len(times), math.inf)
        ends.append(
            (ordered[:, left_out - 1], ordered[:, n - left_out]) if left_out else (-unbounded, unbounded)
        )
    low, high = np.array(ends).transpose(1, 2, 0)
    return Looks(looks, low, high)


def mixture(times: Times, least: int) -> Looks:
    """An asymptotic confidence sequence for the mean of the blocks' log ratios: Robbins' normal mixture
    (Waudby-Smith et al., "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
    Statistics 52, 2024, equation 9)."""
    differences = np.log(times[..., 0] / times[..., 1])
    numbers = np.arange(1, times.shape[1] + 1)
    means = np.cumsum(differences, axis=1) / numbers
    squares = np.cumsum(differences**2, axis=1) / numbers - means**2
    deviations = np.sqrt(np.maximum(squares, 0) * numbers / np.maximum(numbers - 1, 1))
    half = deviations / np.sqrt(numbers) * _mixed(numbers)
    kept = slice(least - 1, None)
    return Looks(numbers[kept], (means - half)[:, kept], (means + half)[:, kept])


def any_time(looks: tuple[int, ...]) -> Boundary:
    """The normal mixture's bounds for the ratio of medians: they would hold after every block, for ever."""
    reach = _mixed(np.array(looks))
    return Boundary(looks, tuple(1 - _NORMAL.cdf(float(one)) for one in reach))


def _mixed(blocks: npt.NDArray[np.int64]) -> Times:
    """How many standard errors Robbins' normal mixture reaches, the fewest at about 20 blocks."""
    growth = 1 + blocks * (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA)) + 1) / 20
    return np.asarray(np.sqrt(growth / (growth - 1) * np.log(growth / ALPHA**2)))


def groups(times: Times, bounds: Mapping[str, Boundary], rng: np.random.Generator) -> dict[str, Looks]:
    """Percentile intervals of the ratio of medians at each boundary's looks."""
    ends: dict[str, list[tuple[Times, Times]]] = {name: [] for name in bounds}
    for n in sorted({look for each in bounds.values() for look in each.looks}):
        draws = rng.integers(0, n, (RESAMPLES, n))
        logs = np.log(times[:, :n])
        drawn = np.sort([_medians(one[:, 0], draws) - _medians(one[:, 1], draws) for one in logs], axis=1)
        for name, each in bounds.items():
            if n in each.looks:
                place = math.floor((1 - each.confidence(n)) / 2 * (RESAMPLES - 1))
                ends[name].append((drawn[:, place], drawn[:, RESAMPLES - 1 - place]))
    found = {}
    for name, each in bounds.items():
        low, high = np.array(ends[name]).transpose(1, 2, 0)
        found[name] = Looks(np.array(each.looks), low, high)
    return found


def _medians(values: Times, draws: npt.NDArray[np.int64]) -> Times:
    n = draws.shape[1]
    upper = n // 2
    lower = upper - 1 + n % 2
    parted = np.partition(values[draws], (lower, upper), axis=1)
    return np.asarray((parted[:, lower] + parted[:, upper]) / 2)


@dataclass(frozen=True)
class Stops:
    """How the experiments of a population ended: the blocks of each, and whether its verdict was a
    difference, `same`, or false in its direction, or its interval wrong."""

    blocks: Times
    different: npt.NDArray[np.bool_]
    same: npt.NDArray[np.bool_]
    missed: npt.NDArray[np.bool_]


def stops(looks: Looks, truth: float) -> Stops:
    """Where each experiment stops that is told to go on until its verdict is decided, and with what."""
    low, high = looks.low + truth, looks.high + truth
    edges = math.log(1 - MARGIN), math.log(1 + MARGIN)
    different = (high < edges[0]) | (low > edges[1])
    same = (low >= edges[0]) & (high <= edges[1])
    decided = different | same
    decided[:, -1] = True
    place = np.argmax(decided, axis=1)
    rows = np.arange(len(low))
    return Stops(
        looks.blocks[place].astype(float),
        different[rows, place],
        same[rows, place],
        (looks.low[rows, place] > 0) | (looks.high[rows, place] < 0),
    )


def study(experiments: int, least: int, most: int) -> None:
    """Prints both tables."""
    bounds = {name: boundary(spaced(least, most), spending) for name, spending in SPENDING.items()}
    for name, each in bounds.items():
        tails = ", ".join(f"{look}: {100 * each.confidence(look):.2f}" for look in each.looks)
        print(f"- {name}: {tails}", flush=True)
    bounds["normal mixture, any time"] = any_time(spaced(least, most))
    bounds["once, at the most"] = Boundary((most,), (ALPHA / 2,))
    others: dict[str, Callable[[Times, int], Looks]] = {
        "signs, any time": signs,
        "means of logarithms, any time": mixture,
    }
    ended: dict[str, list[list[Stops]]] = {name: [] for name in (*bounds, *others)}
    alike = [population for population in POPULATIONS if population.alike]
    for place, population in enumerate(alike):
        rng = np.random.default_rng([least, most, place])
        times = population.draw(rng, experiments, most)
        found = groups(times, bounds, rng) | {name: made(times, least) for name, made in others.items()}
        for name, looks in found.items():
            ended[name].append([stops(looks, math.log(ratio)) for ratio in RATIOS])
    print(f"\n{least} to {most} blocks, {experiments} experiments a population\n")
    print(f"| candidate | A/A decided, worst | missed, worst | {' | '.join(map(str, RATIOS))} |")
    print(f"|---|---|---|{'---|' * len(RATIOS)}")
    for name, by_population in ended.items():
        wrong = max(float(np.mean(each[0].different)) for each in by_population)
        missed = max(float(np.mean(each[0].missed)) for each in by_population)
        cells = []
        for place, ratio in enumerate(RATIOS):
            ends = [each[place] for each in by_population]
            right = np.mean([one.same if ratio == 1.0 else one.different for one in ends])
            cells.append(f"{np.mean([one.blocks for one in ends]):.1f} ({100 * right:.0f})")
        print(f"| {name} | {100 * wrong:.1f} | {100 * missed:.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    experiments, least, most = (*arguments, *(1000, 12, 60)[len(arguments) :])
    study(experiments, least, most)
