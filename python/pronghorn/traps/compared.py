"""What the visits over both protocols say beside each other."""

from collections.abc import Iterable
from statistics import median

from pronghorn.traps.facts import Facts, Flow, Protocol, Visit

APART = 1.2
"""h3 counts as slower where its median is longer by a fifth, and each of its loads longer than each over h2.
Three loads beside three are apart by chance once in twenty times; a trap needs its own sign as well."""

_ENOUGH, _FAR_APART = 3, 2.0
"""Of fewer loads each, one can be long by chance (of one beside one, every second time): then h3 has to take
twice as long."""

MOST = 2 / 3
"""The share of visits that have to show what a trap is said to do: a single one can be chance."""


def median_s(facts: Facts, protocol: Protocol) -> float | None:
    """The median load over a protocol."""
    times = _loads(facts.of(protocol))
    return median(times) if times else None


def slower_s(facts: Facts, slow: Protocol = "h3") -> float | None:
    """By how much one protocol's loads take longer than the other's; 0 where they don't, None where one has
    none."""
    fast: Protocol = "h2" if slow == "h3" else "h3"
    slows, fasts = _loads(facts.of(slow)), _loads(facts.of(fast))
    if not slows or not fasts:
        return None
    excess = median(slows) - median(fasts)
    apart = APART if min(len(slows), len(fasts)) >= _ENOUGH else _FAR_APART
    return excess if min(slows) > max(fasts) and median(slows) >= apart * median(fasts) else 0.0


def flows(facts: Facts) -> list[tuple[Visit, Flow]]:
    """The visits over h3 of whose packets something is known: where none ended, those that had begun."""
    usable = facts.of("h3") or [one for one in facts.tried("h3") if one.shook and not one.spoilt]
    return [(one, one.flow) for one in usable if one.flow is not None]


def mostly(signs: Iterable[bool]) -> bool:
    """Whether most visits show a sign."""
    seen = list(signs)
    return bool(seen) and sum(seen) >= MOST * len(seen)


def receiving_rate(visit: Visit) -> float | None:
    """Bytes a second of the largest response, from its first byte on."""
    one = visit.largest
    if one is None or one.first_byte_s is None or one.last_byte_s is None:
        return None
    return one.bytes / (one.last_byte_s - one.first_byte_s) if one.last_byte_s > one.first_byte_s else None


def rate(facts: Facts, protocol: Protocol) -> float | None:
    """The median of that over the visits of a protocol."""
    found = [one for one in map(receiving_rate, facts.of(protocol)) if one is not None]
    return median(found) if found else None


def round_trip_s(facts: Facts, protocol: Protocol) -> float | None:
    """The least round trip over a protocol."""
    return min((one.round_trip_s for one in facts.of(protocol) if one.round_trip_s), default=None)


def _loads(visits: Iterable[Visit]) -> list[float]:
    return [one.page.load_s for one in visits if one.page.load_s is not None]
