"""The times that the statistics are of, with a failed trial as the worst outcome."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pronghorn.model.summary import Metric
from pronghorn.model.trial import Trial

Times = npt.NDArray[np.float64]


def times(trials: Sequence[Trial], metric: Metric) -> Times:
    """Each trial's time in seconds; +inf for a trial that failed or has no such time."""
    return np.array([_time(trial, metric) for trial in trials], dtype=np.float64)


def has_failed(trial: Trial) -> bool:
    """Whether the trial's load did not come to its end over the protocol asked for."""
    return trial.status == "failed" or trial.metrics.load_s is None


def _time(trial: Trial, metric: Metric) -> float:
    if has_failed(trial):
        return math.inf
    value = trial.metrics.load_s if metric == "load" else trial.metrics.ttfb_s
    return math.inf if value is None else value
