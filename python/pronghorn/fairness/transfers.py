"""How fast a load's large resources came, from their first byte to their last."""

from typing import NamedTuple

from pronghorn.fairness.group import Group
from pronghorn.model.trial import Resource, Trial


class Transfer(NamedTuple):
    """Bodies that came over one connection: their `size` in bytes, and the time from the first byte to the
    last. `carried` is what all resources of the load brought in that time, in bytes; `lost` what the path
    dropped on the way down during the load, in packets."""

    size: int
    seconds: float
    carried: float
    lost: int

    @property
    def byte_per_s(self) -> float:
        """Its mean rate."""
        return self.size / self.seconds


def largest(group: Group, trial: Trial) -> Transfer | None:
    """The largest resource of a load over the arm's own protocol; None where its times aren't known."""
    timed = _timed(group, trial)
    if not timed:
        return None
    one = max(timed, key=lambda resource: resource.bytes)
    start, end = _span(one)
    return Transfer(one.bytes, end - start, _carried(timed, start, end), _lost(trial))


def whole(group: Group, trial: Trial) -> Transfer | None:
    """All resources together of the connection that brought the most."""
    by_connection: dict[int | None, list[Resource]] = {}
    for resource in (timed := _timed(group, trial)):
        by_connection.setdefault(resource.connection, []).append(resource)
    if not timed:
        return None
    most = max(by_connection.values(), key=lambda its: sum(one.bytes for one in its))
    spans = [_span(one) for one in most]
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    return Transfer(sum(one.bytes for one in most), end - start, _carried(timed, start, end), _lost(trial))


def _timed(group: Group, trial: Trial) -> list[Resource]:
    return [
        one
        for one in (trial.page.resources if trial.page else [])
        if one.protocol == group.arm.protocol
        and not one.from_cache
        and one.error is None
        and one.first_byte_s is not None
        and one.last_byte_s is not None
        and one.last_byte_s > one.first_byte_s
    ]


def _span(one: Resource) -> tuple[float, float]:
    return one.first_byte_s or 0.0, one.last_byte_s or 0.0


def _carried(timed: list[Resource], start: float, end: float) -> float:
    """The bytes that came between two times, as if each resource had come at an even rate."""
    total = 0.0
    for one in timed:
        first, last = _span(one)
        total += one.bytes * max(0.0, min(last, end) - max(first, start)) / (last - first)
    return total


def _lost(trial: Trial) -> int:
    down = trial.counters.down if trial.counters else None
    return down.lost + down.queue_dropped + down.aqm_dropped + down.corrupted + down.too_big if down else 0
