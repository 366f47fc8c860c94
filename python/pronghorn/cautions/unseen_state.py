"""Warnings about the state that arms ask for: loads in which it was not seen, and what a kept client makes of
it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pronghorn.analysis.numbers import count
from pronghorn.model.arm import RESUMED, WARM, Arm
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Connection, Trial

_WHERE = "These loads did not exercise what the arm asks for. page.connections in trials.jsonl shows which."


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
            f"Clients kept their connections between loads: {len(loads)} of "
            f"{count(len(measured), 'load')} opened a new one. TLS version, 0-RTT and resumption concern "
            "these loads alone.",
            'Read the verdicts as those of open connections, or measure with state = "fresh".',
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
            f"In {count(len(found), 'trial')} the client offered session tickets that the origin had "
            "redeemed before. The origin rejected them and made full handshakes. An example: "
            f"{first.cell}, {first.arm}.",
            "These loads did not exercise what the arm asks for. origin_tickets in trials.jsonl shows which.",
        )


def _unequal_visits(experiment: Experiment) -> Iterator[Caution]:
    visited = [arm.name for arm in experiment.arms if arm.prepared]
    others = [arm.name for arm in experiment.arms if not arm.prepared]
    if visited and others:
        yield Caution(
            "unequal-visits",
            f"{', '.join(visited)} loaded the page once before, unmeasured; {', '.join(others)} did not. "
            "Such a visit leaves tickets, and also a warm server and client.",
            "This can explain a small difference. Compare with an arm that made a visit too, such as "
            "h2+resumed.",
        )


def _opened(trial: Trial) -> list[Connection]:
    """The connections that the load itself opened."""
    return [one for one in trial.page.connections if one.connected_s is not None] if trial.page else []


def _doubts(arm: Arm) -> Iterator[tuple[str, Callable[[list[Connection]], bool]]]:
    """What can be found missing in a load of `arm`, with how it is told from the connections that it opened.
    Where a client can't tell (a browser of resumption over TCP), nothing is."""
    if arm.early_data:
        yield (
            "no accepted 0-RTT data was seen",
            lambda opened: (
                not _accepted(opened)
                and (arm.over_quic or any(one.early_data or one.resumed is False for one in opened))
            ),
        )
    else:
        yield "0-RTT data was sent, although the arm asks for none,", _accepted
    if arm.options & {RESUMED, WARM}:
        yield (
            "no session was resumed",
            lambda opened: (
                any(one.resumed is False for one in opened) and not any(one.resumed for one in opened)
            ),
        )


def _accepted(opened: list[Connection]) -> bool:
    return any(one.early_data == "accepted" for one in opened)
