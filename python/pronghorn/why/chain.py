"""The critical chain of a page load: from its end back to its start, what the client waited for.

At each request the chain goes on with what came last before it could be sent: that the resource was found,
that its connection stood, or that an earlier answer had left its connection free. A resource was found in the
one that initiated it; of a browser, whose parser waits for scripts and styles, in the last of these that
ended after that one and before it was found.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from pronghorn.model.trial import Connection, PageLoad, Resource

Kind = Literal["answer", "set-up", "lookup", "client", "unknown"]

_SOON_S = 0.001
"""What follows another event within this time is its consequence."""

_BLOCKING = ("script", "style")
"""Kinds of resources for which a browser's parser waits."""


class Link(NamedTuple):
    """A stretch of the chain: what the client waited for from `from_s` to `to_s`, the place of the resource
    whose answer it was or for which the connection was set up."""

    kind: Kind
    from_s: float
    to_s: float
    place: int | None = None


class Opening(NamedTuple):
    """When a connection was opened and could take requests, on the page's axis."""

    lookup_s: float | None
    from_s: float
    to_s: float


def chain(page: PageLoad, openings: Mapping[int, Opening]) -> list[Link]:
    """The stretches from 0 to the load's end, last first; they touch and don't overlap. `openings` are those
    of the page's connections, by their number. ValueError where the load did not end."""
    if page.load_s is None:
        raise ValueError("a load that did not end has no chain")
    walk = _Walk(page.resources, openings, page.load_s)
    walk.go()
    return walk.links


def opening(connection: Connection) -> Opening | None:
    """What the client tells of a connection's opening; None where it doesn't."""
    if connection.start_s is None or connection.secured_s is None:
        return None
    return Opening(connection.resolving_s, connection.start_s, connection.secured_s)


class _Walk:
    """The way back; `now_s` is where it has come to."""

    def __init__(self, resources: Sequence[Resource], openings: Mapping[int, Opening], end_s: float) -> None:
        self._resources = resources
        self._openings = openings
        self._now_s = end_s
        self._left = {place for place, one in enumerate(resources) if one.last_byte_s is not None}
        self.links: list[Link] = []

    def go(self) -> None:
        place = self._ended(self._left, 0.0, self._now_s)
        if place is None:
            self._to("unknown", 0.0)
        while place is not None and self._now_s > 0:
            self._left.discard(place)
            self._to("client", self._resources[place].last_byte_s)
            place = self._before(place)
        self._to("client", 0.0)

    def _to(self, kind: Kind, at_s: float | None, place: int | None = None) -> None:
        """Goes back to a moment, where that is earlier."""
        if at_s is None or at_s >= self._now_s:
            return
        until_s = max(at_s, 0.0)
        if until_s < self._now_s:
            self.links.append(Link(kind, until_s, self._now_s, place))
            self._now_s = until_s

    def _ended(self, places: set[int], after_s: float, until_s: float) -> int | None:
        """The one of some resources that ended last within a time."""
        ends = [
            (last_s, place)
            for place in places
            if (last_s := self._resources[place].last_byte_s) is not None and after_s < last_s <= until_s
        ]
        return max(ends)[1] if ends else None

    def _before(self, place: int) -> int | None:
        """Goes back to where a resource's answer was waited for, and to what that waited for; the resource
        with which the chain goes on, or None."""
        resource = self._resources[place]
        if resource.request_s is None or resource.from_cache:
            self._to("client" if resource.from_cache else "unknown", resource.start_s)
            return self._finder(place)
        self._to("answer", resource.request_s, place)
        found_s = resource.start_s if resource.start_s is not None else resource.request_s
        opened = self._awaited(resource.connection, found_s)
        ready_s = found_s if opened is None else min(opened.to_s, self._now_s)
        if self._now_s - ready_s > _SOON_S and (earlier := self._freed(place, ready_s)) is not None:
            return earlier
        self._to("client", ready_s)
        if opened is None:
            return self._finder(place)
        self._to("set-up", opened.from_s, place)
        self._to("lookup", opened.lookup_s)
        return self._opener(place, found_s)

    def _awaited(self, connection: int | None, found_s: float) -> Opening | None:
        """The opening of a connection, where a resource that was found at this moment waited for it; one
        whose request left as early data waited for its beginning alone."""
        opened = self._openings.get(connection) if connection is not None else None
        if opened is None or opened.to_s <= found_s or opened.from_s > self._now_s:
            return None
        in_time = opened.to_s <= self._now_s + _SOON_S or found_s <= opened.from_s + _SOON_S
        return opened if in_time else None

    def _freed(self, place: int, after_s: float) -> int | None:
        """The answer that ended last on a resource's connection before its request, and after `after_s`."""
        number = self._resources[place].connection
        mine = {one for one in self._left if self._resources[one].connection == number}
        return self._ended(mine, after_s, self._now_s + _SOON_S)

    def _opener(self, place: int, found_s: float) -> int | None:
        """Goes back to the moment at which the resource was found for which the connection was opened."""
        if found_s <= self._now_s + _SOON_S:
            self._to("client", found_s)
            return self._finder(place)
        starts = [
            (one.start_s, number)
            for number, one in enumerate(self._resources)
            if one.start_s is not None and one.start_s <= self._now_s + _SOON_S
        ]
        if not starts:
            return None
        start_s, number = max(starts)
        self._to("client", start_s)
        return self._finder(number)

    def _finder(self, place: int) -> int | None:
        """What a resource was found in."""
        initiator = self._resources[place].initiator
        if initiator is None or not self._left:
            return None
        named = {one for one in self._left if _page(self._resources[one].path) == _page(initiator)}
        finder = min(named or self._left)
        ended_s = self._resources[finder].last_byte_s
        if ended_s is None or ended_s >= self._now_s - _SOON_S:
            return finder
        blocking = {one for one in self._left if self._resources[one].kind in _BLOCKING}
        blocker = self._ended(blocking, ended_s, self._now_s)
        return finder if blocker is None else blocker


def _page(path: str) -> str:
    """A path without its query, which browsers leave out of an initiator's."""
    return path.partition("?")[0]
