"""Which two trials a timeline shows: h2's and h3's of one block, whose difference is typical."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.analysis.times import has_failed
from pronghorn.model import arm as arms
from pronghorn.model.arm import ArmError
from pronghorn.model.trial import Trial
from pronghorn.report.arrived import has_arrivals

RULE = (
    "The two loads are of one block: both succeeded, and the path dropped, corrupted or reordered "
    "packets to a client. Of such blocks, it is the one whose ratio of load times is nearest to the "
    "median"
)


_DISTURBED = (
    "lost",
    "too_big",
    "udp_dropped",
    "outage_dropped",
    "policed",
    "queue_dropped",
    "aqm_dropped",
    "left_behind",
    "corrupted",
    "reordered",
)


class Pair(NamedTuple):
    """Two trials of one block; `ratio` is h3's load time over h2's, `typical` the median of the blocks that
    might have been chosen, of which there were `blocks`."""

    h2: Trial
    h3: Trial
    ratio: float
    typical: float
    blocks: int


class NoPair(Exception):
    """There is none to be shown: why, as a sentence."""


def pair(trials: Mapping[str, Sequence[Trial]]) -> Pair | None:
    """The pair of a cell, whose trials stand by arm in the blocks' order: of the first arm of h2 and the
    first of h3. The earliest of equally typical blocks. None where the cell lacks one of them or no block
    left the arrivals of both; NoPair where packets to the client went undisturbed."""
    over_h2, over_h3 = _first(trials, "h2"), _first(trials, "h3")
    if over_h2 is None or over_h3 is None:
        return None
    kept = [
        (h2, h3)
        for h2, h3 in zip(trials[over_h2], trials[over_h3], strict=True)
        if has_arrivals(h2) and has_arrivals(h3)
    ]
    if not kept:
        return None
    whole = [(h2, h3) for h2, h3 in kept if not has_failed(h2) and not has_failed(h3)]
    lossy = [both for both in whole if any(map(disturbed, both))]
    if not lossy:
        raise NoPair(
            f"No head-of-line timeline: in {count(len(whole), 'block')} with arrivals, loads by "
            f"{over_h2} and {over_h3} both succeeded, and in none of them did the path drop, corrupt or "
            "reorder a packet to the client."
        )
    ratios = [_log_ratio(*both) for both in lossy]
    typical = median(ratios)
    nearest = min(range(len(lossy)), key=lambda place: abs(ratios[place] - typical))
    h2, h3 = lossy[nearest]
    return Pair(h2, h3, math.exp(ratios[nearest]), math.exp(typical), len(lossy))


def disturbed(trial: Trial) -> int:
    """How many packets to the client the path dropped, for whatever reason, corrupted or reordered."""
    link = trial.counters.down if trial.counters is not None else None
    return 0 if link is None else sum(getattr(link, name) for name in _DISTURBED)


def _first(trials: Mapping[str, Sequence[Trial]], protocol: str) -> str | None:
    return next((name for name in trials if _protocol(name) == protocol), None)


def _protocol(arm: str) -> str | None:
    try:
        return arms.parse(arm).protocol
    except ArmError:
        return None


def _log_ratio(h2: Trial, h3: Trial) -> float:
    return math.log((h3.metrics.load_s or math.nan) / (h2.metrics.load_s or math.nan))
