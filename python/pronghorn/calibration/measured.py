"""The fate of the probes, as the engine's op `calibrate` tells it (docs/engine-protocol.md)."""

from typing import NamedTuple

from pronghorn.model.bounds import Count, Whole
from pronghorn.model.trial import FromEngine, LinkCounters


class Phase(FromEngine):
    """The probes of one phase: times in nanoseconds since its first; `arrivals` are (place among the sent,
    time), in the order in which they came. `link` is what link and driver had counted when it was over."""

    sent_ns: list[Whole]
    arrivals: list[tuple[Count, Whole]]
    settled: bool
    link: LinkCounters


class Probed(FromEngine):
    """The probes of one direction; `damaged` were dropped by the receiving kernel for their checksums.
    `answers` are no probes: what IPv6's sending host answered to corrupted ones of the other direction."""

    phases: list[Phase]
    damaged: Count
    receive_buffer_drops: Count
    answers: Count = 0


class Probes(FromEngine):
    """The probes of both directions."""

    down: Probed
    up: Probed


class Journey(NamedTuple):
    """One probe that arrived: its place among the sent, and its one-way delay in seconds."""

    number: int
    delay_s: float


def journeys(phase: Phase) -> list[Journey]:
    """The first arrival of each probe, in the order in which they were sent."""
    found: dict[int, int] = {}
    for number, at in phase.arrivals:
        if number < len(phase.sent_ns):
            found.setdefault(number, at)
    return [Journey(number, (found[number] - phase.sent_ns[number]) / 1e9) for number in sorted(found)]


def unexplained_s(link: LinkCounters) -> float:
    """How much longer than asked a probe may have taken by the link's own account of its lateness: its 99th
    percentiles, on entering and leaving."""
    return (link.lateness.p99_s or 0.0) + (link.intake_wait.p99_s or 0.0)
