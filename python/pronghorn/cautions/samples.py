"""What an arm measured in a cell, as warnings look at it."""

from typing import NamedTuple

import numpy as np

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.outliers import logarithms
from pronghorn.analysis.times import Times, times
from pronghorn.model import load
from pronghorn.model.comparison import Metric
from pronghorn.model.trial import Trial


class Sample(NamedTuple):
    """An arm's trials in a cell and the logarithms of their values of the metric that decides. Failed ones
    are outcomes and not among them; nor is a kept client's first load, which shakes hands alone."""

    metric: Metric
    trials: list[Trial]
    logs: Times


def sample(cell: CellTrials, arm: str) -> Sample:
    """The sample of an arm, which may be empty."""
    metric: Metric = "requests_per_second" if cell.cell.client == load.CLIENT else "load"
    mine = cell.of(arm)
    logs = logarithms(times(mine, metric))
    kept = any(trial.visit for trial in mine)
    taken = [
        place for place, trial in enumerate(mine) if np.isfinite(logs[place]) and (trial.visit or not kept)
    ]
    return Sample(metric, [mine[place] for place in taken], logs[taken])
