"""What the path did to a cell's packets, beside what it was asked to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pronghorn.analysis.numbers import seconds
from pronghorn.model.trial import LinkCounters, Trial

Direction = Literal["down", "up"]


@dataclass(frozen=True)
class LinkReport:
    """One arm's packets on one link over all counted trials. Shares are of the packets that reached that
    stage.
    """

    arm: str
    direction: Direction
    packets: int
    loss: str
    asked_loss: str
    queue_dropped: int
    duplicated: int
    corrupted: int
    reordered: int
    latest: str


def link_reports(arms: Mapping[str, Sequence[Trial]], path: Mapping[str, Any] | None) -> list[LinkReport]:
    """A row an arm and direction, in order; `path` is the PathSpec asked for, where the manifest has it.

    Arms without counters (the path `direct`) have no row.
    """
    return [
        _report(arm, direction, counted, (path or {}).get(direction))
        for direction in ("down", "up")
        for arm, trials in arms.items()
        if (counted := _links(trials, direction))
    ]


def _links(trials: Sequence[Trial], direction: Direction) -> list[LinkCounters]:
    found = (getattr(trial.counters, direction) for trial in trials if trial.counters)
    return [link for link in found if link is not None]


def _report(arm: str, direction: Direction, links: Sequence[LinkCounters], spec: Any) -> LinkReport:
    decided = sum(link.loss_decisions for link in links)
    lost = sum(link.lost for link in links)
    return LinkReport(
        arm=arm,
        direction=direction,
        packets=sum(link.packets_in for link in links),
        loss=f"{100 * lost / decided:.2f} % ({lost})" if decided else "–",
        asked_loss=asked_loss(spec),
        queue_dropped=sum(link.queue_dropped for link in links),
        duplicated=sum(link.duplicated for link in links),
        corrupted=sum(link.corrupted for link in links),
        reordered=sum(link.reordered for link in links),
        latest=seconds(max((link.lateness.max_s or 0.0 for link in links), default=0.0)),
    )


def asked_loss(link: Any) -> str:
    """The loss that a LinkSpec asks for, as its long-run share; `–` where it isn't known.

    A Gilbert-Elliott chain is in its bad state for enter / (enter + leave) of the packets.
    """
    if not isinstance(link, Mapping):
        return "–"
    match link.get("loss"):
        case None:
            return "0 %"
        case {"model": "independent", "probability": float() | int() as share}:
            return f"{100 * share:.3g} %"
        case {"model": "gilbert-elliott", "enter": enter, "leave": leave, **rest} if enter + leave:
            bad = enter / (enter + leave)
            share = bad * rest.get("loss_bad", 1.0) + (1 - bad) * rest.get("loss_good", 0.0)
            return f"{100 * share:.3g} %"
        case _:
            return "–"
