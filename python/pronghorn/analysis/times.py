"""The values that the statistics are of, with a failed trial as the worst outcome."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pronghorn.model import percentiles
from pronghorn.model.summary import LATENCIES, Metric
from pronghorn.model.trial import Trial

Times = npt.NDArray[np.float64]


def times(trials: Sequence[Trial], metric: Metric) -> Times:
    """Each trial's time in seconds, +inf for a trial that failed or has no such time; of requests a second
    each trial's rate, 0 where it has none."""
    return np.array([_value(trial, metric) for trial in trials], dtype=np.float64)


def has_failed(trial: Trial) -> bool:
    """Whether the trial's load did not come to its end over the protocol asked for."""
    return trial.status == "failed" or trial.metrics.load_s is None


def _value(trial: Trial, metric: Metric) -> float:
    if metric == "requests_per_second":
        return trial.metrics.requests_per_second or 0.0
    if metric in LATENCIES:
        return _latency_s(trial, metric)
    if has_failed(trial):
        return math.inf
    value = _time_s(trial, metric)
    return math.inf if value is None else value


def _time_s(trial: Trial, metric: Metric) -> float | None:
    if metric == "lcp":
        return trial.page.lcp_s if trial.page is not None else None
    return trial.metrics.load_s if metric == "load" else trial.metrics.ttfb_s


def _latency_s(trial: Trial, metric: Metric) -> float:
    """A percentile of a load's latencies, where a request that failed, or a connection that couldn't be had,
    never ended."""
    report = trial.page.report if trial.page is not None else None
    if report is None or not trial.metrics.requests_per_second:
        return math.inf
    kind, _, key = metric.rpartition("_")
    whole = report.connections.attempted if kind == "connect" else report.requests.sent
    return percentiles.of_all(getattr(report.latency_seconds, kind), key, whole)
