"""What a load is expected to cost: for scheduling, the time left, and what a guard tolerates."""

import math

from pronghorn.costs import cost
from pronghorn.model.load import LoadSettings
from pronghorn.model.path import PathProfile, PathSpec

LEAST_RETRANSMISSION_S = 0.2
"""Linux's least retransmission time-out (TCP_RTO_MIN): what a lost packet costs where nothing follows it."""

_FIRST_TIME_OUT_S = 1.0
"""What a lost packet of a handshake costs (RFC 6298 §2), doubled with each that follows."""

_CPU_S_PER_REQUEST = 1e-4
_CPU_S_PER_CONNECTION = 2e-3
"""Of client, path and origin together, handshakes over TLS among the latter."""

_SEGMENT_BYTES = 1448
_RESPONSE_BYTES = 400
"""Headers of a response and its frames."""

_SET_UP_ROUND_TRIPS = 3

_BURST = 2.0
"""So many times as long as its work takes, a load that begins is busy."""

_LATER_SHARE = 0.025
"""Of the time after its work, counted as time that a load may wait in: its connections that losses hold up
are few then, and each load that begins meanwhile makes its threads wait a little."""

_AT_ONCE = 2
"""So many cores at most work on one load: generator, path and origin hand each packet on to each other."""


def cpu_s(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """Roughly the CPU time that a load takes of the whole host."""
    requests = _requests(path, settings, document_bytes, limit_s)
    connections = requests if settings.connect == "each" else settings.connections
    each = _CPU_S_PER_REQUEST + document_bytes * cost.CPU_S_PER_BYTE
    return requests * each + connections * _CPU_S_PER_CONNECTION


def expected_s(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """Roughly how long a load lasts, at most until its limit: as long as if nothing were lost, or on a path
    with loss the round trips and time-outs of a connection."""
    least = undisturbed_s(path, settings, document_bytes, limit_s)
    if settings.duration_s is not None or path.spec is None:
        return least
    requests = _requests(path, settings, document_bytes, limit_s)
    each = math.ceil(requests / settings.connections)
    packets = each * (document_bytes + _RESPONSE_BYTES) / _SEGMENT_BYTES
    waits = _rounds(settings, requests) * path.spec.round_trip_s
    waits += packets * _s_per_packet(path.spec) + _slowest_handshake_s(path.spec, settings.connections)
    return min(limit_s, max(least, waits))


def undisturbed_s(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """As `expected_s` if nothing is lost: what its CPU time takes on this host, the path's rate for its
    bytes, or its round trips."""
    if settings.duration_s is not None:
        return _lasts_s(settings, limit_s)
    least = cpu_s(path, settings, document_bytes, limit_s) / cost.cores()
    if path.spec is None:
        return min(limit_s, least)
    requests = _requests(path, settings, document_bytes, limit_s)
    rate: float = path.down_figures.mean_rate_bit_per_s or math.inf
    sent = requests * (document_bytes + _RESPONSE_BYTES)
    waits = _rounds(settings, requests) * path.spec.round_trip_s
    paced = requests / settings.rate if settings.rate else 0.0
    return min(limit_s, max(least, sent * 8 / rate, waits, paced))


def burst_s(
    path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float, *, primed: bool = False
) -> float:
    """How long a load that begins may have much to do at a time, before few connections wait for what was
    lost: its handshakes, and its requests where neither duration nor rate spreads them. A warm-up goes
    before, and so do the handshakes of one that gains sessions first (`primed`), the slowest of which may be
    late."""
    before_s = settings.warm_up_s
    work_s = _work_s(path, settings, document_bytes, limit_s)
    if primed:
        before_s += work_s
        if path.spec is not None:
            before_s += _slowest_handshake_s(path.spec, settings.connections)
    return min(limit_s, _BURST * (before_s + work_s))


def bearable_s(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """The time against which a load's waits for a CPU are held: where handshakes lose packets that of its
    work and little of the rest, since a wait that delays one costs as much again with each packet that is
    lost later."""
    lossy = path.spec is not None and _lost_share(path.spec) * settings.connections >= 1
    if lossy and settings.duration_s is None and settings.rate is None:
        work_s = _work_s(path, settings, document_bytes, limit_s)
        later_s = expected_s(path, settings, document_bytes, limit_s) - work_s
        return min(limit_s, work_s + _LATER_SHARE * max(0.0, later_s))
    return undisturbed_s(path, settings, document_bytes, limit_s)


def alone(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> bool:
    """Whether the CPU and not the path sets a load's pace, so that it needs the host for itself."""
    return busy_cores(path, settings, document_bytes, limit_s) > cost.cpu_budget()


def busy_cores(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """Roughly how many cores a load keeps busy."""
    used = cpu_s(path, settings, document_bytes, limit_s)
    return used / max(expected_s(path, settings, document_bytes, limit_s), 1e-3)


def timescale_s(spec: PathSpec) -> float:
    """What sets a load's pace on a path: its least round trip, or where it loses packets what a time-out
    lasts, if that is more."""
    lossy = LEAST_RETRANSMISSION_S if _lost_share(spec) > 0 else 0.0
    return max(spec.least_round_trip_s, lossy)


def _work_s(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> float:
    """How long a load is busy that has nothing to wait for but its handshakes' round trips."""
    cpu = settings.connections * _CPU_S_PER_CONNECTION
    if settings.duration_s is None and settings.rate is None:
        cpu = cpu_s(path, settings, document_bytes, limit_s)
        if isinstance(settings.warm_up, int):
            cpu += settings.warm_up * (_CPU_S_PER_REQUEST + document_bytes * cost.CPU_S_PER_BYTE)
    round_trip_s = path.spec.round_trip_s if path.spec is not None else 0.0
    return cpu / min(_AT_ONCE, cost.cores()) + _SET_UP_ROUND_TRIPS * round_trip_s


def _rounds(settings: LoadSettings, requests: int) -> int:
    """The round trips that a connection's share of the requests takes."""
    each = math.ceil(requests / settings.connections)
    return _SET_UP_ROUND_TRIPS + math.ceil(each / settings.streams)


def _requests(path: PathProfile, settings: LoadSettings, document_bytes: int, limit_s: float) -> int:
    if settings.requests is not None:
        return settings.requests
    return round(_lasts_s(settings, limit_s) * _most_per_s(path, settings, document_bytes))


def _lasts_s(settings: LoadSettings, limit_s: float) -> float:
    """How long a load without a number of requests lasts, with its warm-up."""
    if settings.duration_s is None:
        return limit_s
    return min(limit_s, settings.warm_up_s + settings.duration_s)


def _most_per_s(path: PathProfile, settings: LoadSettings, document_bytes: int) -> float:
    """The most requests a second of such a load: its rate, what the host is good for, what the link down
    carries, and as many as are in flight at a time in every round trip (Little's law)."""
    most = [settings.rate or math.inf, cost.cores() / _CPU_S_PER_REQUEST]
    specs = [one.spec for one in path.stretches]
    if all(spec is not None for spec in specs):
        rates = [one.down_figures.mean_rate_bit_per_s or math.inf for one in path.stretches]
        most.append(max(rates) / 8 / (document_bytes + _RESPONSE_BYTES))
    round_trip_s = min(spec.least_round_trip_s if spec is not None else 0.0 for spec in specs)
    if round_trip_s > 0:
        at_once = settings.connections * (1 if settings.connect == "each" else settings.streams)
        most.append(at_once / round_trip_s)
    return min(most)


def _slowest_handshake_s(spec: PathSpec, connections: int) -> float:
    """How long losses hold up the slowest of so many handshakes: the longest run of losses that one in so
    many meets, each of which doubles the time-out."""
    lost = min(_lost_share(spec), 0.99)
    if lost <= 0:
        return 0.0
    run = math.log(connections) / math.log(1 / lost) if connections > 1 else lost
    return _FIRST_TIME_OUT_S * float(2**run - 1)


def _s_per_packet(spec: PathSpec) -> float:
    """How long a packet takes a connection that loss holds up: Padhye et al., "Modeling TCP Throughput"
    (1998), equation 30, of one packet acknowledged at a time."""
    lost = min(_lost_share(spec), 0.99)
    if lost <= 0:
        return 0.0
    time_outs = min(1.0, 3 * math.sqrt(3 * lost / 8)) * lost * (1 + 32 * lost * lost)
    return spec.round_trip_s * math.sqrt(2 * lost / 3) + LEAST_RETRANSMISSION_S * time_outs


def _lost_share(spec: PathSpec) -> float:
    """What becomes of a packet on the worse link: of those that loss takes a duplicated one still comes once,
    a corrupted one never does."""
    links = (spec.down, spec.up)
    passed = [
        (1 - (link.loss.mean if link.loss else 0.0) * (1 - link.duplicate)) * (1 - link.corrupt)
        for link in links
    ]
    return 1 - min(passed)
