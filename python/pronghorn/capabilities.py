"""Whether an experiment's origins and clients can honour what it asks for: asked before anything is
measured."""

from collections.abc import Callable, Iterable

from pronghorn import clients, origins
from pronghorn.errors import InputError
from pronghorn.execute.artifacts import FLIGHT, PCAPNG, QLOG
from pronghorn.model.arm import Arm
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.experiment import Experiment

_Refusal = Callable[[Arm], str | None]

_OF_BENCHES = (PCAPNG, FLIGHT)
_OF_ORIGINS = {QLOG: "builtin"}
"""Artifacts that no client need leave: those of every bench, and those of an origin, by its name."""


def check(experiment: Experiment) -> None:
    """InputError for the first arm which one of the experiment's origins or clients can't honour, or the
    first artifact or setting of a browser which none of its clients can, naming who can; HostError where this
    host lacks an origin or a client."""
    its_origins = [(name, origins.of(experiment, name)) for name in experiment.origins]
    its_clients = [(name, clients.of(experiment, name)) for name in experiment.clients]
    for arm in experiment.arms:
        for name, origin in its_origins:
            _check(arm, "origin", name, origin.refusal, _able(arm, [*origins.ORIGINS.items(), *its_origins]))
        for name, client in its_clients:
            _check(arm, "client", name, client.refusal, _able(arm, [*clients.CLIENTS.items(), *its_clients]))
    for artifact in experiment.artifacts:
        if artifact in _OF_BENCHES or _OF_ORIGINS.get(artifact) in experiment.origins:
            continue
        if not any(artifact in client.artifacts for _, client in its_clients):
            able = [name for name, client in clients.CLIENTS.items() if artifact in client.artifacts]
            raise InputError(
                f"artifact '{artifact}': no client of the experiment ({', '.join(experiment.clients)}) "
                f"leaves it. {_who('client', able, 'left')}"
            )
    if experiment.browser != BrowserSettings() and not any(client.is_browser for _, client in its_clients):
        able = [name for name, client in clients.CLIENTS.items() if client.is_browser]
        raise InputError(
            f"key 'browser': no client of the experiment ({', '.join(experiment.clients)}) is a browser. "
            f"{_who('client', able, 'heeded')}"
        )
    for name, client in its_clients:
        if experiment.authority is not None and not client.takes_authority:
            raise InputError(
                f"client '{name}' trusts the system's authorities alone: it can't be told of the one that "
                "key 'authority' names. Leave the key out, or the client."
            )
    for _, origin in its_origins:
        origin.require()
    for _, client in its_clients:
        client.require()


def _check(arm: Arm, kind: str, name: str, refusal: _Refusal, able: list[str]) -> None:
    reason = refusal(arm)
    if reason is not None:
        who = _who(kind, able, "honoured")
        raise InputError(f"arm '{arm.name}': {kind} '{name}' can't honour it: {reason}. {who}")


def _who(kind: str, able: list[str], done: str) -> str:
    return f"It can be {done} by {', '.join(able)}." if able else f"No {kind} can."


def _able(arm: Arm, candidates: Iterable[tuple[str, origins.Origin | clients.Client]]) -> list[str]:
    return list(dict.fromkeys(name for name, candidate in candidates if candidate.refusal(arm) is None))
