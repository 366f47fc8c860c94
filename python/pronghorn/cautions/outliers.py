"""Warnings about loads that took far longer, or far less, than the others of their arm and cell."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.numbers import count, rate, seconds
from pronghorn.analysis.outliers import LEAST_VALUES, cutoff, scores
from pronghorn.analysis.times import times
from pronghorn.cautions.samples import sample
from pronghorn.model.caution import Caution
from pronghorn.model.comparison import Metric
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial

FALSE_ALARMS = 0.01
"""At most this share of runs with normal log-times gets a warning."""


class Outlier(NamedTuple):
    """A trial that lies far outside, its score, and the median of its arm in its cell."""

    trial: Trial
    metric: Metric
    score: float
    median: float

    def words(self) -> str:
        """Where it is and what it measured."""
        show = rate if self.metric == "requests_per_second" else seconds
        value = float(times([self.trial], self.metric)[0])
        return (
            f"{self.trial.arm} on {self.trial.cell}, block {self.trial.block}: {show(value)}, where the "
            f"median is {show(self.median)}"
        )


def cautions(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """The warnings: of single loads, and of blocks in which all arms lie outside."""
    cells = list(select(trials, [arm.name for arm in experiment.arms]).values())
    found = outliers(cells)
    if not found:
        return
    values = sum(len(cell.arms) * len(cell.blocks) for cell in cells)
    worst = max(found, key=lambda one: abs(one.score))
    whole = _whole_blocks(cells, found)
    yield Caution(
        "outliers",
        f"{len(found)} of {count(values, 'load')} lie far outside the others of their arm and cell. The "
        f"furthest: {worst.words()} (modified Z-score {worst.score:.0f}).",
        "Medians and verdicts barely change, but means and p99 do. On a path that loses packets these "
        "may be the protocol's own stalls: see the trial's record. Otherwise measure again on a quieter "
        "host, with fewer --jobs.",
    )
    if whole:
        first = whole[0]
        yield Caution(
            "disturbed-blocks",
            f"In {count(len(whole), 'block')} all arms lie far outside at once, so a protocol is hardly "
            f"the cause. An example: {first.cell}, block {first.block}, at {first.started}.",
            "Find out what else this host did at that time, or what the path did (outages, traces).",
        )


def outliers(cells: Sequence[CellTrials]) -> list[Outlier]:
    """The loads that lie far outside, cell by cell."""
    samples = [
        taken for cell in cells for arm in cell.arms if len((taken := sample(cell, arm)).logs) >= LEAST_VALUES
    ]
    looks = sum(len(logs) for _, _, logs in samples)
    found = []
    for metric, measured, logs in samples:
        limit = cutoff(len(logs), looks, FALSE_ALARMS)
        middle = float(np.exp(np.median(logs)))
        for trial, score in zip(measured, scores(logs), strict=True):
            if abs(score) > limit:
                found.append(Outlier(trial, metric, float(score), middle))
    return found


def _whole_blocks(cells: Sequence[CellTrials], found: Sequence[Outlier]) -> list[Trial]:
    """A trial of each block in which every arm lies outside, on the same side."""
    sides = {one.trial.key: one.score > 0 for one in found}
    whole = []
    for cell in cells:
        for block in cell.blocks:
            seen = {sides.get(trial.key) for trial in block.values()}
            if len(block) > 1 and len(seen) == 1 and None not in seen:
                whole.append(block[cell.arms[0]])
    return whole
