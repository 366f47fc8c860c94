"""When packets were lost: moments that belong together."""

from typing import NamedTuple

import numpy as np

from pronghorn.traps.facts import Flow


class Episode(NamedTuple):
    """Losses of which each is within a round trip of the next: when they were, and how many packets."""

    from_s: float
    to_s: float
    lost: int


def episodes(flow: Flow) -> list[Episode]:
    """Those of a flow; none where the round trip isn't known."""
    trip_s = flow.round_trip_s
    if not trip_s or not flow.lost_runs:
        return []
    found: list[Episode] = []
    for at_s, lost in sorted(zip(flow.lost_at_s, flow.lost_runs, strict=True)):
        if found and at_s - found[-1].to_s < trip_s:
            found[-1] = Episode(found[-1].from_s, at_s, found[-1].lost + lost)
        else:
            found.append(Episode(at_s, at_s, lost))
    return found


def largest(flow: Flow) -> Episode | None:
    """The one in which most was lost."""
    return max(episodes(flow), key=lambda one: one.lost, default=None)


def byte_rate(flow: Flow, one: Episode) -> float:
    """Bytes a second that came during an episode."""
    inside = (flow.arrived_s >= one.from_s) & (flow.arrived_s <= one.to_s)
    return float(np.sum(flow.sizes[inside])) / max(one.to_s - one.from_s, 1e-9)


def alone(flow: Flow) -> float:
    """The share of what was lost that was lost one or two packets at a time."""
    return sum(run for run in flow.lost_runs or () if run <= _FEW) / flow.lost if flow.lost else 0.0


_FEW = 2
