"""What is replayed of an archive: each recorded request as it is served and made, rewritten where that was
asked for.

What sets requests off, how long servers think and which requests are of the load are those of the whole
recording: leaving out and moving changes none of them."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pronghorn.errors import InputError
from pronghorn.sites.archive import Archive, Exchange
from pronghorn.sites.replay import answers, one_host, steps
from pronghorn.sites.replay.causes import Cause, Causes
from pronghorn.sites.replay.choice import Chosen, choose
from pronghorn.sites.replay.one_host import Dropped, Moving

THIRD_PARTY, IMAGE, MERGED = "third party", "image", "the same on one host"
"""Why exchanges are left out by a rewriting."""


@dataclass(frozen=True)
class Planned:
    """A request as it is served. `think_s`: what the server takes for it; `cause`: what sets it off, None for
    the page's; `made`: whether the native client makes it."""

    exchange: Exchange
    think_s: float
    cause: Cause | None = None
    made: bool = False


@dataclass
class Plan:
    """All requests, the page's first, then in the order of their start. `left_out` counts by reason what
    isn't served or made, `late` what came too late to be of the load; `kept_hosts` are those that stay in
    spite of `+one-host`."""

    requests: list[Planned]
    left_out: Counter[str]
    over_http: int
    late: int
    kept_hosts: list[str] = field(default_factory=list)


def plan(archive: Archive, rewritings: Collection[str], store: one_host.Store) -> Plan:
    """The plan of an archive with `rewritings`; `store` gets the bodies that they make. InputError where its
    page is not replayed, or it asks for too much, or something in it would become too large."""
    chosen = choose(archive)
    of_load = {one.id for one in steps.of_load(chosen.exchanges, chosen.initiators, archive.site.load_s)}
    think_s = answers.think_times(archive, chosen.exchanges)
    gone = dict(_gone(archive, chosen, rewritings))
    # What a browser asks for otherwise, such as a file that a third party asked for first, is still answered.
    hosts = archive.site.hosts
    served = [
        one
        for one in chosen.exchanges
        if gone.get(one.id) != THIRD_PARTY or hosts[one.target.host].first_party
    ]
    if chosen.exchanges[0].id in gone:
        raise InputError(
            f"{archive.folder}: without third parties its page is left out, whose host is none of its own.",
            hint="Look at first_party in its host's table in site.toml.",
        )
    moving = Moving(archive, served, chosen.initiators, store) if "one-host" in rewritings else None
    settling = _Settling(archive, chosen, moving)
    found: list[Planned] = []
    left_out = chosen.left_out + Counter(gone.values())
    for one in served:
        made = one.id in of_load and one.id not in gone
        moved = settling.moved(one, made=made)
        # In their order, so that what passes over what is dropped has been settled before.
        cause = settling.cause(one) if made and found else None
        if isinstance(moved, Dropped):
            left_out[MERGED] += one.id not in gone
            continue
        found.append(Planned(moved, think_s[one.id], cause, made))
    if (many := sum(one.made for one in found)) > steps.MOST:
        raise InputError(
            f"{archive.folder}: its load has {many} requests; {steps.MOST} at most can be replayed."
        )
    return Plan(
        found,
        left_out,
        chosen.over_http,
        late=sum(one.id not in of_load for one in served),
        kept_hosts=one_host.kept({one.exchange.target.host: None for one in found}, moving) if moving else [],
    )


def _gone(archive: Archive, chosen: Chosen, rewritings: Collection[str]) -> Iterator[tuple[int, str]]:
    """The ids of exchanges that are left out, each with the reason: its own, or that of what sets it off."""
    reasons: dict[int, str] = {}
    hosts = archive.site.hosts
    for one in chosen.exchanges:
        reason = reasons.get(chosen.initiators[one.id] or 0)
        if "no-third-parties" in rewritings and not hosts[one.target.host].first_party:
            reason = THIRD_PARTY
        elif reason is None and "no-images" in rewritings and one.kind == "image":
            reason = IMAGE
        if reason is not None:
            reasons[one.id] = reason
            yield one.id, reason


class _Settling:
    """Exchanges as they are moved, and their causes, which pass over what is dropped."""

    def __init__(self, archive: Archive, chosen: Chosen, moving: Moving | None) -> None:
        self._causes = Causes(archive, chosen)
        self._by_id: Mapping[int, Exchange] = {one.id: one for one in chosen.exchanges}
        self._moving = moving
        self._dropped: dict[int, Dropped] = {}
        self._settled: dict[int, Cause] = {}

    def moved(self, one: Exchange, *, made: bool) -> Exchange | Dropped:
        """An exchange where it is then; ask in their order."""
        if self._moving is None:
            return one
        moved = self._moving.moved(one, made=made)
        if isinstance(moved, Dropped):
            self._dropped[one.id] = moved
        return moved

    def cause(self, one: Exchange) -> Cause:
        """What sets a request off that isn't the page's, once all before it have been moved."""
        if one.id not in self._settled:
            self._settled[one.id] = self._settle(self._causes.of(one))
        return self._settled[one.id]

    def _settle(self, cause: Cause) -> Cause:
        initiator = self._by_id[cause.initiator]
        if self._moving is not None and cause.upon_bytes is not None:
            cause = cause._replace(upon_bytes=self._moving.place(initiator, cause.upon_bytes))
        dropped = self._dropped.get(cause.initiator)
        if dropped is None:
            return cause
        if dropped.instead is not None:
            return cause._replace(initiator=dropped.instead)
        earlier = self.cause(initiator)
        return earlier._replace(compute_s=round(earlier.compute_s + cause.compute_s, 6))
