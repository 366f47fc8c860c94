"""A trial's arrivals, as they lie in the run's directory."""

from pathlib import Path

from pronghorn.model import arrivals
from pronghorn.model.arrivals import Arrivals, Unreadable
from pronghorn.model.trial import Trial

ARRIVALS = "arrivals"
"""The artifact's name."""

_SLACK_S = 0.005
"""What began this long before the client can have begun belongs to another load, such as one beside the
page's."""


def has_arrivals(trial: Trial) -> bool:
    """Whether a trial left its arrivals."""
    return ARRIVALS in trial.artifacts


def arrivals_of(run: Path, trial: Trial) -> Arrivals:
    """What a trial has left in the directory `run`; Unreadable where it is no more there, or broken, or can't
    be laid on the axis of the load."""
    name = trial.artifacts[ARRIVALS]
    file = run / name
    if not file.resolve().is_relative_to(run.resolve()):
        raise Unreadable(f"{name} is not within the run's directory")
    return arrivals.read(file, name)


def since_start_s(found: Arrivals, trial: Trial) -> float:
    """What is to be added to the arrivals' times so that they count from the load's start; Unreadable where
    the client doesn't tell when that was."""
    if trial.page is None or trial.page.started_monotonic_s is None:
        raise Unreadable("its client doesn't report when the load began on the path's clock")
    return found.since(trial.page.started_monotonic_s)


def of_load(run: Path, trial: Trial) -> tuple[Arrivals, float]:
    """What a trial has left, of the connections that its page's load may have begun, with what is to be added
    to times so that they count from the load's start; Unreadable as by the others."""
    found = arrivals_of(run, trial)
    offset_s = since_start_s(found, trial)
    ahead_s = trial.page.ahead_s if trial.page is not None else 0.0
    own = tuple(
        one
        for one in found.connections
        if not len(one.packets) or one.packets.sent_s[0] + offset_s >= -ahead_s - _SLACK_S
    )
    return found.model_copy(update={"connections": own}), offset_s
