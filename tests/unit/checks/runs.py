"""Runs for checks, made by hand: an experiment over two paths and what it measured."""

from collections.abc import Mapping, Sequence

import numpy as np

from pronghorn.checks import of_run
from pronghorn.checks.intervals import Measured
from pronghorn.checks.result import Finding, Result
from pronghorn.model import arm as arms
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.sampling import Sampling
from pronghorn.model.trial import Trial

from ..analysis.synthetic import cell, paired, summarised

PATHS = ("lan", "lte", "lte-poor")
ARMS = ("h1", "h2", "h3")
Loads = Mapping[str, Sequence[float | None]]


def experiment(paths: Sequence[str] = PATHS, names: Sequence[str] = ARMS, seed: int = 1) -> Experiment:
    """Arms over paths, with h2 as the baseline."""
    link = LinkSpec(delay_ns=1_000_000)
    return Experiment(
        name="By hand",
        sites=("small",),
        paths=tuple(PathProfile(name=name, spec=PathSpec(down=link, up=link)) for name in paths),
        origins=("builtin",),
        clients=("native",),
        arms=tuple(arms.parse(name) for name in names),
        baseline="h2",
        repeat=12,
        limit="30s",
        margin_text="3%",
        seed=seed,
    )


def around(median_s: float, spread: float, blocks: int = 12) -> list[float]:
    """Load times evenly to both sides of a median, up to a share of it, in a random order of their own."""
    steps = np.linspace(1 - spread, 1 + spread, blocks)
    order = np.random.default_rng([round(1e6 * median_s), round(1e6 * spread), blocks])
    return [median_s * float(step) for step in order.permutation(steps)]


def trials(loads: Mapping[str, Loads]) -> list[Trial]:
    """The trials of arms, path by path."""
    return [trial for path, of_arms in loads.items() for trial in paired(cell(path), of_arms)]


def measured(loads: Mapping[str, Loads], sampling: Sampling | None = None) -> Measured:
    """A run over the paths of `loads`, sampled by a rule where there is one."""
    asked = experiment(tuple(loads))
    found = trials(loads)
    summary = summarised(
        found,
        name=asked.name,
        arms=[arm.name for arm in asked.arms],
        baseline=asked.baseline,
        seed=asked.seed,
        limit_s=asked.limit_s,
        cells=asked.cells(),
        resamples=1000,
        sampling=sampling,
    )
    return Measured(summary, found, sampling=sampling)


def check(text: str, run: Measured) -> Result:
    """What becomes of one check in a run."""
    paths = [found.path for found in run.summary.cells]
    (result,) = of_run.evaluate([of_run.parse(text, experiment(paths))], run)
    return result


def finding(text: str, run: Measured) -> Finding:
    """The one finding of a check that is about one cell."""
    (found,) = check(text, run).findings
    return found
