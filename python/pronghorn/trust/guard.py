"""Whether a trial's measurement may be trusted: the path was on time, its devices dropped nothing, the host
had its CPU."""

import math
from typing import NamedTuple

from pronghorn.costs import cost, load_cost
from pronghorn.model.load_report import LoadReport
from pronghorn.model.path import PathProfile
from pronghorn.model.trial import Counters, PageLoad

LATENESS_FLOOR_S = 0.002
LATENESS_SHARE = 0.05
STEAL_SHARE = 0.10

STEAL = "steal"
"""The reason of trials from which others took the CPU."""

CRITICAL_SHARE = 0.05
"""Of the time that an arm's fastest load in a cell takes: by how much waits for a CPU may have delayed a
load, and a link one packet of it."""

CPU_BOUND_SHARE = 3.0
"""The same where the CPU sets the pace: a trial's own threads wait for each other there, on an idle host for
up to one and a half of this time."""

STARVED_SHARE = 0.2
"""Of the load time that is expected of a cell, for which client and origin together may have waited for a CPU
where the path, and not the CPU, sets the pace; where nobody tells what the waits can have delayed."""

OTHERS_SHARE = 0.5
"""Of the CPUs' time that a trial with a foreign client leaves: what the rest of the machine may have used."""

OTHERS_FLOOR = 0.1
"""Of all the CPUs' time: what the rest of the machine may have used however little such a trial leaves."""

OTHERS_S = 0.02
"""What the rest of the machine may have used however short the load: as much as the control plane itself
does."""


class Fault(NamedTuple):
    """Why something is wrong with a trial: a word for counting and a sentence for people."""

    reason: str
    detail: str


def tolerance_s(path: PathProfile) -> float:
    """How late the 99th percentile of a link's packets may be, on entering and leaving together: 2 ms, or 5 %
    of the path's round trip if that is more; of a path with a handover the shorter one."""
    round_trip = path.spec.least_round_trip_s if path.spec else 0.0
    return max(LATENESS_FLOOR_S, LATENESS_SHARE * round_trip)


def load_tolerance_s(path: PathProfile) -> float:
    """As `tolerance_s`, of a load, which on a path that loses packets waits for time-outs longer than its
    round trip."""
    timescale_s = load_cost.timescale_s(path.spec) if path.spec else 0.0
    return max(LATENESS_FLOOR_S, LATENESS_SHARE * timescale_s)


class LoadPace(NamedTuple):
    """Against how long a time, in seconds, the waits of a load of the cell are held (`load_cost.bearable_s`);
    whether it has the host for itself, since the CPU sets its pace; how many threads make it."""

    bearable_s: float
    alone: bool
    threads: int


def contamination(
    page: PageLoad, counters: Counters, path: PathProfile, total_bytes: int, pace: LoadPace | None = None
) -> Fault | None:
    """What contaminated the trial on a site of `total_bytes`, or None: `steal`, which is the cause of others,
    `late`, `ring`, `malformed`, `starved`. `pace` is that of a load of many requests."""
    if counters.host is not None and counters.host.steal_share > STEAL_SHARE:
        return Fault(STEAL, f"{counters.host.steal_share:.0%} of the host's CPU time was taken by others")
    tolerance = load_tolerance_s(path) if page.report is not None else tolerance_s(path)
    for name, link in (("down", counters.down), ("up", counters.up)):
        if link is None:
            continue
        if link.ring_dropped > 0:
            return Fault("ring", f"the {name} link's device dropped {link.ring_dropped} packets itself")
        if link.malformed > 0:
            return Fault(
                "malformed", f"{link.malformed} packets that the {name} link can't read never entered it"
            )
        late = (link.lateness.p99_s or 0.0) + (link.intake_wait.p99_s or 0.0)
        if late > tolerance:
            return Fault(
                "late",
                f"the {name} link took and gave packets {late * 1e3:.1f} ms late (99th percentiles, added); "
                f"at most {tolerance * 1e3:.1f} ms are tolerated",
            )
        longest = max(link.lateness.max_s or 0.0, link.intake_wait.max_s or 0.0)
        if longest > (most := _longest_s(page, path, total_bytes)):
            return Fault(
                "late",
                f"the {name} link held a packet up for {longest * 1e3:.1f} ms; "
                f"at most {most * 1e3:.1f} ms are tolerated",
            )
    if counters.handover is not None and counters.handover.late_s > tolerance:
        return Fault(
            "late",
            f"the client had its other address {counters.handover.late_s * 1e3:.1f} ms after the handover; "
            f"at most {tolerance * 1e3:.1f} ms are tolerated",
        )
    if page.report is not None and pace is not None and not pace.alone:
        starved = _load_starvation(page.report, pace)
        if starved is not None:
            return starved
    if page.cpu.client is None or (foreign(page) and cost.cpu_bound(path)):
        return _crowding(page, counters)
    return _starvation(page, path, total_bytes)


def _longest_s(page: PageLoad, path: PathProfile, total_bytes: int) -> float:
    """How late a single packet may be, which can be one that the whole page waits for."""
    if page.report is not None or cost.cpu_bound(path):
        return math.inf
    return max(tolerance_s(path), CRITICAL_SHARE * cost.least_s(path, total_bytes, page.round_trips))


def foreign(page: PageLoad) -> bool:
    """Whether the client or the origin ran outside the engine, which keeps no account of their waits."""
    return page.cpu.client is None or page.cpu.origin is None


def _starvation(page: PageLoad, path: PathProfile, total_bytes: int) -> Fault | None:
    """The bound is that of the arm in the cell, whatever became of the load: one that moved with the load
    time would spare the slow loads and condemn the fast. An origin outside the engine is taken to wait as the
    client does."""
    client = page.cpu.client
    if client is None or path.spec is None:
        return None
    origin = page.cpu.origin or client
    if client.critical_s is None or origin.critical_s is None:
        return _starvation_by_sum(page, path, total_bytes)
    share = CPU_BOUND_SHARE if cost.cpu_bound(path) else CRITICAL_SHARE
    tolerance = share * cost.least_s(path, total_bytes, page.round_trips)
    delayed = client.critical_s + origin.critical_s
    if delayed <= tolerance:
        return None
    longest = max(client.longest_s or 0.0, origin.longest_s or 0.0)
    return Fault(
        "starved",
        f"waits of client and origin for a CPU, the longest of {longest * 1e3:.1f} ms, can have delayed the "
        f"load by {delayed * 1e3:.1f} ms; at most {tolerance * 1e3:.1f} ms are tolerated",
    )


def _starvation_by_sum(page: PageLoad, path: PathProfile, total_bytes: int) -> Fault | None:
    """As `_starvation`, of a record that has no more than the sum of its waits."""
    client = page.cpu.client
    if client is None or cost.cpu_bound(path):
        return None
    tolerance = STARVED_SHARE * cost.expected_s(path, total_bytes)
    waited = client.waited_s + (page.cpu.origin or client).waited_s
    if waited <= tolerance:
        return None
    return Fault(
        "starved",
        f"client and origin waited {waited * 1e3:.0f} ms for a CPU; "
        f"at most {tolerance * 1e3:.0f} ms are tolerated",
    )


def _load_starvation(report: LoadReport, pace: LoadPace) -> Fault | None:
    """As `_starvation`, of a load: what the thread that waited most can have been delayed, or without that
    the mean over the generator's threads, each of which has its own connections."""
    tolerance = STARVED_SHARE * pace.bearable_s
    if (delayed := report.cpu_s.critical) is not None:
        if delayed <= tolerance:
            return None
        return Fault(
            "starved",
            f"a thread's waits for a CPU can have delayed its requests by {delayed * 1e3:.0f} ms; "
            f"at most {tolerance * 1e3:.0f} ms are tolerated",
        )
    waited = report.cpu_s.waited / pace.threads
    if waited <= tolerance:
        return None
    return Fault(
        "starved",
        f"the generator's threads waited {waited * 1e3:.0f} ms for a CPU on the average; "
        f"at most {tolerance * 1e3:.0f} ms are tolerated",
    )


def _crowding(page: PageLoad, counters: Counters) -> Fault | None:
    """A browser's waits for a CPU can't be told from its threads' waits for each other, so what is bounded is
    what others used; the busier a trial itself, the less it bears. A load that never began was not slowed."""
    share = counters.host.cpu if counters.host is not None else None
    if share is None or not (page.connections or page.resources):
        return None
    capacity_s = share.own_s / share.own_share if share.own_share else math.inf
    tolerance = max(OTHERS_FLOOR, OTHERS_SHARE * (1 - share.own_share), OTHERS_S / capacity_s)
    if share.others_share <= tolerance:
        return None
    return Fault(
        "starved",
        f"the rest of the machine used {share.others_share:.0%} of the CPUs' time during the load; "
        f"at most {tolerance:.0%} are tolerated beside the {share.own_share:.0%} of the trial's own",
    )
