"""Where the time of a cell's loads went, arm by arm: medians of the parts that trials tell."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.times import has_failed
from pronghorn.model.trial import Trial
from pronghorn.model.why import PARTS, ArmWhy, HeadOfLine, Why


def parts(trials: CellTrials) -> dict[str, ArmWhy]:
    """By arm the parts of its loads; arms of which no load that ended tells any are left out."""
    found = {arm: _of(trials.of(arm)) for arm in trials.arms}
    return {arm: told for arm, told in found.items() if told is not None}


def _of(trials: Sequence[Trial]) -> ArmWhy | None:
    told = [
        (trial.metrics.load_s, trial.why)
        for trial in trials
        if trial.why is not None
        and trial.why.parts
        and not has_failed(trial)
        and trial.metrics.load_s is not None
    ]
    if not told:
        return None
    whys = [one for _, one in told]
    return ArmWhy(
        n=len(told),
        load_s=median(load_s for load_s, _ in told),
        parts={part: median(one.parts.get(part, 0.0) for one in whys) for part in PARTS},
        stalled_s=_waits(whys, lambda one: one.stalled_s),
        byte_seconds=_waits(whys, lambda one: one.byte_seconds),
        own_stalled_s=_waits(whys, lambda one: one.own_stalled_s),
        own_byte_seconds=_waits(whys, lambda one: one.own_byte_seconds),
        reasons=dict(sorted(Counter(one.reason for one in whys if one.reason is not None).items())),
    )


def _waits(whys: Sequence[Why], figure: Callable[[HeadOfLine], float]) -> float | None:
    known = [figure(one.head_of_line) for one in whys if one.head_of_line is not None]
    return median(known) if known else None
