"""Whether an experiment's origins and clients can honour its arms: asked before anything is measured."""

from collections.abc import Callable, Iterable

from pronghorn import clients, origins
from pronghorn.errors import InputError
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment

_Refusal = Callable[[Arm], str | None]


def check(experiment: Experiment) -> None:
    """InputError for the first arm which one of the experiment's origins or clients can't honour, naming who
    can; HostError where this host lacks an origin or a client."""
    for arm in experiment.arms:
        for name in experiment.origins:
            _check(arm, "origin", name, origins.find(name).refusal, _able(arm, origins.ORIGINS.items()))
        for name in experiment.clients:
            _check(arm, "client", name, clients.find(name).refusal, _able(arm, clients.CLIENTS.items()))
    for name in experiment.origins:
        origins.find(name).require()
    for name in experiment.clients:
        clients.find(name).require()


def _check(arm: Arm, kind: str, name: str, refusal: _Refusal, able: list[str]) -> None:
    reason = refusal(arm)
    if reason is not None:
        who = f"It can be honoured by {', '.join(able)}." if able else f"No {kind} can."
        raise InputError(f"arm '{arm.name}': {kind} '{name}' can't honour it: {reason}. {who}")


def _able(arm: Arm, candidates: Iterable[tuple[str, origins.Origin | clients.Client]]) -> list[str]:
    return [name for name, candidate in candidates if candidate.refusal(arm) is None]
