"""What the path did to a cell's packets, beside what it was asked to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from pronghorn.analysis.numbers import seconds
from pronghorn.model.path import LinkSpec, PacketLoss
from pronghorn.model.trial import LinkCounters, Trial

Direction = Literal["down", "up"]

_OTHER_DROPS = {
    "too_big": "beyond the MTU",
    "udp_dropped": "UDP",
    "outage_dropped": "outage",
    "policed": "policed",
    "aqm_dropped": "AQM",
    "nat_dropped": "NAT",
    "left_behind": "handover",
}


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
    other_drops: str
    marked: int
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


def is_ipv6(path: Any) -> bool:
    """Whether a manifest's PathSpec asks for IPv6."""
    return isinstance(path, Mapping) and path.get("family") == 6


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
        other_drops=other_drops(links),
        marked=sum(link.marked for link in links),
        duplicated=sum(link.duplicated for link in links),
        corrupted=sum(link.corrupted for link in links),
        reordered=sum(link.reordered for link in links),
        latest=seconds(max((link.lateness.max_s or 0.0 for link in links), default=0.0)),
    )


def asked_loss(link: Any) -> str:
    """The loss that a LinkSpec asks for, as its long-run share; `–` where it isn't known."""
    if not isinstance(link, Mapping):
        return "–"
    try:
        spec = LinkSpec.model_validate(link)
    except ValidationError:
        return "–"
    if isinstance(spec.loss, PacketLoss):
        return f"{len(spec.loss.numbers)} listed"
    share = f"{100 * spec.loss.mean:.3g} %" if spec.loss is not None else "0 %"
    return share if spec.schedule is None else f"{share}, or as scheduled"


def other_drops(links: Sequence[LinkCounters]) -> str:
    """What ended in the links otherwise than by loss and a full queue: each cause with its packets."""
    counts = {words: sum(getattr(link, key) for link in links) for key, words in _OTHER_DROPS.items()}
    return ", ".join(f"{words} {count}" for words, count in counts.items() if count) or "0"
