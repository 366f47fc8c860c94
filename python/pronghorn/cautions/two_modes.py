"""Warnings about arms whose load times fall into two groups, and what goes with it."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.blocks import select
from pronghorn.analysis.modes import LEAST_VALUES, Modes, modes
from pronghorn.analysis.numbers import count, rate, seconds
from pronghorn.cautions.samples import Sample, sample
from pronghorn.cautions.traits import Companion, companion
from pronghorn.model.caution import Caution
from pronghorn.model.comparison import HIGHER_IS_BETTER
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial

FALSE_ALARMS = 0.05
"""At most this share of runs whose arms have one mode each gets a warning. Uniform times are the worst case.
The level of each dip test is this, divided by their number (Bonferroni)."""

_NAMED = 4


class TwoModes(NamedTuple):
    """An arm in a cell whose values fall into two groups, and what else tells these apart, if anything
    does."""

    sample: Sample
    modes: Modes
    companion: Companion | None

    def words(self) -> str:
        """Where it is, the two groups, the faster first, and what goes with it."""
        first = self.sample.trials[0]
        is_rate = self.sample.metric in HIGHER_IS_BETTER
        show = rate if is_rate else seconds
        groups = [
            f"near {show(math.exp(centre))} ({count(number, 'load')})"
            for centre, number in (
                (self.modes.low, self.modes.below),
                (self.modes.high, self.modes.above),
            )
        ]
        said = f"{first.arm} on {first.cell} {' or '.join(reversed(groups) if is_rate else groups)}"
        return said if self.companion is None else f"{said}, {self.companion.words()}"


def cautions(experiment: Experiment, trials: Sequence[Trial], run: Path | None = None) -> Iterator[Caution]:
    """The warning; flights are looked for in the directory `run`."""
    found = two_modes(experiment, trials, run)
    if not found:
        return
    named = "; ".join(one.words() for one in found[:_NAMED])
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    yield Caution(
        "two-modes",
        f"Load times fall into two groups in {count(len(found), 'case')}: {named}{more}.",
        "The median depends on how many loads fell into each group. Look at the violins as well, measure "
        "more blocks, and find out what makes a load fall into the slower group.",
    )


def two_modes(experiment: Experiment, trials: Sequence[Trial], run: Path | None = None) -> list[TwoModes]:
    """The arms whose values fall into two groups that are further apart than the margin, the clearest
    first."""
    cells = select(trials, [arm.name for arm in experiment.arms]).values()
    samples = [
        taken for cell in cells for arm in cell.arms if len((taken := sample(cell, arm)).logs) >= LEAST_VALUES
    ]
    apart = math.log1p(experiment.margin)
    found = [
        TwoModes(one, its, companion(experiment, one.trials, _slower(one, its), run))
        for one in samples
        if (its := modes(one.logs, FALSE_ALARMS / len(samples))) is not None and its.high - its.low > apart
    ]
    return sorted(found, key=lambda one: one.modes.p)


def _slower(one: Sample, its: Modes) -> npt.NDArray[np.bool_]:
    upper = one.logs > its.border
    return np.asarray(~upper if one.metric in HIGHER_IS_BETTER else upper)
