"""Warnings about how clients came to what they loaded: by a fallback, after a visit that failed, without a
sandbox."""

from collections.abc import Iterator, Mapping, Sequence

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.discovery import fallback
from pronghorn.analysis.numbers import count
from pronghorn.model.arm import Arm
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import PathProfile
from pronghorn.model.trial import PREPARE, Trial


def cautions(
    experiment: Experiment, trials: Sequence[Trial], clients: Mapping[str, Mapping[str, str]]
) -> Iterator[Caution]:
    """The warnings; `clients` are the manifest's."""
    yield from _fallbacks(experiment, trials)
    yield from _unprepared(trials)
    yield from _sandboxes(clients)


def _fallbacks(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    cells = select(trials, [arm.name for arm in experiment.arms])
    for cell in experiment.cells():
        if cell not in cells:
            continue
        blocked = udp_is_blocked(experiment.path(cell.path))
        for arm in experiment.arms:
            if arm.discovery != "forced" and (blocked or expects_http3(arm)):
                yield from _fallback(experiment, cells[cell], arm, blocked=blocked)


def _fallback(experiment: Experiment, trials: CellTrials, arm: Arm, *, blocked: bool) -> Iterator[Caution]:
    found = fallback(trials, arm.name, _beside(experiment, arm))
    if found.requests:
        why = " (the path blocks UDP)" if blocked else ""
        yield Caution(
            "fallback",
            f"{arm.name} on {trials.cell}{why}: {found.words()}.",
            "This arm also measures the fallback. trials.jsonl has the protocol of each request.",
        )


def expects_http3(arm: Arm) -> bool:
    """Whether a client of the arm knows of HTTP/3 before its first request: a first view with Alt-Svc does
    not."""
    return arm.discovery == "https" or (arm.discovery == "altsvc" and arm.prepared)


def udp_is_blocked(path: PathProfile) -> bool:
    """Whether no UDP but DNS crosses the path, in one direction at least, be it after a handover."""
    specs = [one.spec for one in path.stretches if one.spec is not None]
    return any("block" in (spec.down.udp, spec.up.udp) for spec in specs)


def _beside(experiment: Experiment, arm: Arm) -> str | None:
    """The arm that speaks HTTP/2 from the start: one in the same state, if there is any."""
    candidates = [other for other in experiment.arms if other.protocol == "h2"]
    alike = [other for other in candidates if other.options == arm.options]
    return next((other.name for other in (*alike, *candidates)), None)


def _unprepared(trials: Sequence[Trial]) -> Iterator[Caution]:
    found = [trial for trial in trials if trial.reason == PREPARE]
    if found:
        first = found[0]
        yield Caution(
            "prepare",
            f"The unmeasured visit failed in {count(len(found), 'trial')}. These trials count as failed "
            f"and were not measured. An example: {first.cell}, {first.arm}: {first.detail}.",
            "If the path is too lossy for the visit, raise the experiment's limit.",
        )


def _sandboxes(clients: Mapping[str, Mapping[str, str]]) -> Iterator[Caution]:
    for name, identity in clients.items():
        if (state := identity.get("sandbox", "")).startswith("off"):
            yield Caution(
                "browser-sandbox",
                f"The client {name} ran without its own sandbox ({state}).",
                "Load only pages that you trust with it.",
            )
