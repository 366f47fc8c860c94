"""Warnings about the state that arms ask for: loads in which it was not seen, and what a kept client makes of
it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pronghorn.analysis.numbers import count
from pronghorn.model.arm import RESUMED, WARM, Arm
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Connection, Trial

_WHERE = (
    "Don't take these loads for what the arm says; page.connections in trials.jsonl tells which they are."
)


def cautions(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """The warnings; of loads that opened no connection nothing can be said."""
    loads = [(trial, opened) for trial in trials if trial.status == "ok" and (opened := _opened(trial))]
    for arm in experiment.arms:
        for words, found in _doubts(arm):
            seen: Counter[str] = Counter()
            doubted: Counter[str] = Counter()
            for trial, opened in loads:
                if trial.arm == arm.name:
                    seen[str(trial.cell)] += 1
                    doubted[str(trial.cell)] += found(opened)
            for cell in +doubted:
                yield Caution(
                    "state",
                    f"{arm.name} on {cell}: {words} in {doubted[cell]} of {count(seen[cell], 'load')}.",
                    _WHERE,
                )
    yield from _replays(trials)
    yield from _unequal_visits(experiment)
    measured = [trial for trial in trials if trial.status == "ok"]
    if experiment.kept and measured:
        yield Caution(
            "kept",
            "Clients kept their connections from load to load: "
            f"{len(loads)} of {count(len(measured), 'load')} opened any, and what arms say of handshakes "
            "(TLS version, 0-RTT, resumption) concerns these alone.",
            'Read verdicts as those of open connections, or measure with state = "fresh".',
        )


def _replays(trials: Sequence[Trial]) -> Iterator[Caution]:
    """Tickets that came a second time (RFC 8446 §8.1): a client's fault, or somebody's recording."""
    found = [
        trial for trial in trials if any(fates.get("replayed") for fates in trial.origin_tickets.values())
    ]
    if found:
        first = found[0]
        yield Caution(
            "replays",
            f"In {count(len(found), 'trial')} the origin was offered session tickets that it had redeemed "
            f"before, such as {first.cell}, {first.arm}: it took none of them and shook hands in full.",
            "Don't take these loads for what the arm says; origin_tickets in trials.jsonl tells which they "
            "are.",
        )


def _unequal_visits(experiment: Experiment) -> Iterator[Caution]:
    visited = [arm.name for arm in experiment.arms if arm.prepared]
    others = [arm.name for arm in experiment.arms if not arm.prepared]
    if visited and others:
        yield Caution(
            "unequal-visits",
            f"{', '.join(visited)} loaded the page once before, unmeasured; {', '.join(others)} did not. "
            "Beside tickets such a visit leaves a server and a client whose programs are warm.",
            "Bear it in mind where a difference is small, or compare with an arm that made a visit too, such "
            "as h2+resumed.",
        )


def _opened(trial: Trial) -> list[Connection]:
    """The connections that the load itself opened."""
    return [one for one in trial.page.connections if one.connected_s is not None] if trial.page else []


def _doubts(arm: Arm) -> Iterator[tuple[str, Callable[[list[Connection]], bool]]]:
    """What can be found missing in a load of `arm`, with how it is told from the connections that it opened.
    Where a client can't tell (a browser of resumption over TCP), nothing is."""
    if arm.early_data:
        yield (
            "no 0-RTT data was seen accepted",
            lambda opened: (
                not _accepted(opened)
                and (arm.over_quic or any(one.early_data or one.resumed is False for one in opened))
            ),
        )
    else:
        yield "0-RTT data was sent, which the arm does not ask for,", _accepted
    if arm.options & {RESUMED, WARM}:
        yield (
            "no session was resumed",
            lambda opened: (
                any(one.resumed is False for one in opened) and not any(one.resumed for one in opened)
            ),
        )


def _accepted(opened: list[Connection]) -> bool:
    return any(one.early_data == "accepted" for one in opened)
