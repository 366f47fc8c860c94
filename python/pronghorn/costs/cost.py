"""What a trial is expected to cost, and whether it may share the host with others."""

import math
import os

from pronghorn.model.expense import NOTHING, Expense
from pronghorn.model.path import PathProfile

CPU_BOUND_BIT_PER_S = 300_000_000
"""From this rate down on, the host and not the path sets the load time; such trials run alone."""

CPU_BUDGET = 0.2
"""The share of the host's cores that trials side by side may keep busy, so that none of them waits for the
CPU."""

BROWSER_CPU_BUDGET = 0.45
"""The same of trials whose clients are browsers: two beside each other, each of which mostly waits for its
path, load as one alone does (`tests/verify/test_jobs.py`). What else the host does comes on top, and all of
it together has to stay below what `guard.contamination` bears, about half of the CPUs."""

KEPT_SHARE = 0.6
"""So much of this for browsers that are kept: they load without a pause for a start, and repeat a block at
once, with as much beside them as spoilt it."""

STARTS_A_LOAD = 4
"""A load beside which another client starts has to last as long as so many starts keep a CPU busy. Shorter
ones run alone: of 20 such loads, two at a time, every one had more of the CPUs taken by the other than a
trial bears."""

JOBS_PER_CORE = 12
MOST_JOBS = 24

_SEGMENT_BITS = 1460 * 8
_SET_UP_S = 0.1
_CPU_S = 0.03


CPU_S_PER_BYTE = 5e-8
"""Of client, path and origin together."""

_ROUND_TRIPS = 6

LEAST_ROUND_TRIPS = 2
"""Of a load over HTTP/3 of a page that is one document: for the handshake and for the request."""

CONNECTIONS = 6
"""As many as browsers, and the native loader, open to a host over HTTP/1.1."""


def default_jobs() -> int:
    """How many waiting-bound trials this host runs side by side unless told otherwise."""
    return max(1, min(MOST_JOBS, JOBS_PER_CORE * cores()))


def cpu_budget(*, browsers: bool = False, kept: bool = False) -> float:
    """How many cores the trials that run side by side may keep busy together."""
    share = BROWSER_CPU_BUDGET * (KEPT_SHARE if kept else 1.0) if browsers else CPU_BUDGET
    return share * cores()


def busy_cores(
    path: PathProfile,
    total_bytes: int,
    pause_s: float = 0.0,
    expense: Expense = NOTHING,
    *,
    kept: bool = False,
) -> float:
    """Roughly how many cores a trial keeps busy: its CPU time over its duration and the pause after it. A
    client that is `kept` is not started anew; a load that the start of another would crowd has the host for
    itself."""
    duration_s = expected_s(path, total_bytes) + pause_s
    if not kept and expected_s(path, total_bytes) < STARTS_A_LOAD * expense.start_cpu_s:
        return math.inf
    cpu_s = _CPU_S + CPU_S_PER_BYTE * total_bytes + expense.load_cpu_s + expense.waiting_cores * duration_s
    if not kept:
        cpu_s, duration_s = cpu_s + expense.start_cpu_s, duration_s + expense.start_s
    return cpu_s / duration_s


def cpu_bound(path: PathProfile) -> bool:
    """Whether a trial on `path` needs the host for itself: no emulated network, no rate, or a high one, be it
    after a handover."""
    rates = [one.down_figures.mean_rate_bit_per_s for one in path.stretches]
    return path.spec is None or any(rate is None or rate >= CPU_BOUND_BIT_PER_S for rate in rates)


def expected_s(path: PathProfile, total_bytes: int) -> float:
    """A rough load time in seconds, for scheduling and the ETA only.

    Set-up, some round trips, and the bytes at the throughput that the path allows; what a handover finds
    undone takes as long as that share of the whole does on the other path.
    """
    if path.spec is None:
        return _SET_UP_S
    first, *after = (_load_s(one, total_bytes) for one in path.stretches)
    if path.spec.handover is None or first <= (at_s := path.spec.handover.at_ns / 1e9):
        return _SET_UP_S + first
    return _SET_UP_S + at_s + (1 - at_s / first) * after[0]


def least_s(path: PathProfile, total_bytes: int, round_trips: float = LEAST_ROUND_TRIPS) -> float:
    """Roughly how long the fastest load of a cell takes, in seconds, that needs so many round trips: these,
    and the bytes over as many connections as a browser opens, each of which loss holds up by itself."""
    if path.spec is None:
        return 0.0
    rounds = max(round_trips, LEAST_ROUND_TRIPS)
    return min(_load_s(one, total_bytes, rounds, CONNECTIONS) for one in path.stretches)


def warmup_s(path: PathProfile) -> float:
    """How long the path's other flows send before a trial's load may begin, in seconds."""
    return path.spec.cross.warmup_ns / 1e9 if path.spec and path.spec.cross else 0.0


def _load_s(
    path: PathProfile, total_bytes: int, round_trips: float = _ROUND_TRIPS, connections: int = 1
) -> float:
    """As `expected_s`, without set-up, of a path without a handover: some round trips, and the bytes at their
    share of the mean rate down beside the path's other flows until the first loss on the way down, then as
    that leaves them to so many connections.

    The throughput of a loss-bound TCP is that of Mathis et al. 1997, MSS / RTT * 1.22 / sqrt(p).
    """
    if path.spec is None:
        return 0.0
    spec, total_bits = path.spec, total_bytes * 8
    rate: float = path.down_figures.mean_rate_bit_per_s or math.inf
    if spec.cross is not None and spec.cross.direction == "down":
        rate /= 1 + spec.cross.flows
    rounds_s = round_trips * spec.round_trip_s
    loss = spec.down.loss.mean if spec.down.loss is not None else 0.0
    if loss <= 0:
        return rounds_s + total_bits / rate
    unharmed_bits = min(total_bits, _SEGMENT_BITS / loss)
    each = _SEGMENT_BITS / max(spec.round_trip_s, 0.001) * 1.22 / math.sqrt(loss)
    bounded = min(rate, connections * each)
    return rounds_s + unharmed_bits / rate + (total_bits - unharmed_bits) / bounded


def cores() -> int:
    """How many CPUs this program may use."""
    return len(os.sched_getaffinity(0))
