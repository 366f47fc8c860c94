"""Which trial stands for an arm: the one nearest to its median."""

from collections.abc import Sequence

from pronghorn.analysis.times import has_failed
from pronghorn.model.trial import Trial


def chosen(trials: Sequence[Trial], median_s: float | None) -> Trial | None:
    """The trial whose load time is nearest to the arm's median, the earliest of equals; where the median is
    a failed trial (None), the first failed one. None where no such trial recorded its requests."""
    told = [trial for trial in trials if trial.page is not None and trial.page.tells_requests]
    if median_s is None:
        return next((trial for trial in told if has_failed(trial)), None)
    ended = [
        (abs(trial.metrics.load_s - median_s), trial.block, trial)
        for trial in told
        if trial.metrics.load_s is not None and not has_failed(trial)
    ]
    return min(ended, key=lambda each: each[:2])[2] if ended else None
