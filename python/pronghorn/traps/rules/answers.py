"""How long answers take, and which comes first."""

from pronghorn.analysis.numbers import percent, seconds
from pronghorn.model.trial import Resource
from pronghorn.traps import catalogue
from pronghorn.traps.compared import median_s, round_trip_s
from pronghorn.traps.facts import Facts, Protocol, Visit
from pronghorn.traps.finding import Finding, Unknown

_TWICE = 2.0
"""How much longer an urgent response waits over h3, also as a share of the load."""

_ROUND_TRIPS = 2.0
"""By how many round trips at least: less is slow start and scheduling."""

_LARGE = 256_000
"""Bytes behind which an urgent response can wait; several round trips on most networks."""

_SMALL = 0.25
"""Of these bytes: an urgent response that is larger takes its own time."""

_SLOW_S = 0.8
"""Faster answers are nothing to complain of: the TTFB counts as good up to there (web.dev)."""

_HALF = 0.5
"""Of the load: what takes less is not where the time went."""


def priorities(facts: Facts) -> Finding | Unknown | None:
    """An urgent response that was asked for while large, less urgent ones came waits twice as long over h3 as
    over h2, whichever visit of either is taken, and twice as large a share of the load."""
    worst: tuple[float, str] | None = None
    trip_s = round_trip_s(facts, "h3")
    waits = {protocol: [_waits(one) for one in facts.of(protocol)] for protocol in _BOTH}
    if trip_s is None or not all(waits.values()):
        return None
    for path in set.intersection(*(set(one) for each in waits.values() for one in each)):
        slow = min(one[path] for one in waits["h3"])
        fast = max(one[path] for one in waits["h2"])
        if slow[0] < _TWICE * fast[0] or slow[1] < _TWICE * fast[1]:
            continue
        if slow[0] - fast[0] >= _ROUND_TRIPS * trip_s and (worst is None or slow[0] - fast[0] > worst[0]):
            said = f"{path.partition('?')[0]} waited {seconds(slow[0])} over h3, {seconds(fast[0])} over h2"
            worst = slow[0] - fast[0], f"{said}, behind larger and less urgent responses."
    return Finding(catalogue.PRIORITIES, worst[1], worst[0]) if worst else None


_BOTH: tuple[Protocol, ...] = ("h2", "h3")


def _waits(visit: Visit) -> dict[str, tuple[float, float]]:
    """How long each urgent response took, in seconds and of the load."""
    found: dict[str, tuple[float, float]] = {}
    load_s = visit.page.load_s or 1.0
    for one in visit.page.resources:
        if one.request_s is None or one.last_byte_s is None or one.urgency is None:
            continue
        if any(_behind(one, other) for other in visit.page.resources):
            wait_s = one.last_byte_s - one.request_s
            found[one.path] = wait_s, wait_s / load_s
    return found


def _behind(one: Resource, other: Resource) -> bool:
    """Whether a response could have to wait for another, which is large and less urgent."""
    if other.request_s is None or other.last_byte_s is None or other.urgency is None:
        return False
    small = other.bytes >= _LARGE and one.bytes <= _SMALL * other.bytes
    together = one.request_s is not None and other.last_byte_s > one.request_s
    return small and together and (one.urgency or 0) < other.urgency


def slow_server(facts: Facts) -> Finding | Unknown | None:
    """The document's answer began late in every visit, over each protocol that was loaded, and later than
    the network explains."""
    least: dict[Protocol, float] = {}
    for protocol in _BOTH:
        trip_s = round_trip_s(facts, protocol)
        took = [one for one in map(_took, facts.of(protocol)) if one is not None]
        if took and trip_s is not None:
            least[protocol] = min(took) - trip_s
    if not least:
        return None
    server_s = min(least.values())
    loads = [one for one in (median_s(facts, protocol) for protocol in least) if one is not None]
    if server_s < _SLOW_S or server_s < _HALF * min(loads):
        return None
    share = percent(round(server_s / min(loads), 2))
    over = " and ".join(least)
    return Finding(
        catalogue.SLOW_SERVER,
        f"the document's answer began {seconds(server_s)} later than the network needs, over {over}: {share} "
        "of the load.",
        server_s,
    )


def _took(visit: Visit) -> float | None:
    first = next((one for one in visit.page.resources if one.kind == "document"), None)
    if first is None or first.request_s is None or first.first_byte_s is None:
        return None
    return first.first_byte_s - first.request_s
