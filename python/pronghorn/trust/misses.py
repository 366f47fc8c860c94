"""Requests of a replay of which nothing was recorded."""

from collections.abc import Iterable, Sequence

from pronghorn.browser.asked import matches, to_tolerate
from pronghorn.model.trial import OriginRequest, PageLoad
from pronghorn.sites.hosts import Replay
from pronghorn.trust import left_out
from pronghorn.trust.guard import Fault

MISS = "miss"
"""The reason of a load that asked its own site for what was not recorded."""


def of(requests: Iterable[OriginRequest]) -> list[OriginRequest]:
    """Those that were not recorded; they were answered 404 with a note."""
    return [one for one in requests if one.matched == "missed"]


def fault(
    replay: Replay, page: PageLoad, requests: Iterable[OriginRequest], bears: Sequence[str]
) -> Fault | None:
    """What fails a load: misses of the page's on its own hosts, unless the experiment `bears` them, for then
    another page was loaded than the recorded one. Those on other hosts are told alone. So are sockets and
    event streams, which no archive holds, and what the page didn't ask for: a browser looks for an icon by
    itself."""
    asked = {one.path for one in page.resources} | left_out.recordable(page, replay)
    own = [
        one
        for one in of(requests)
        if (host := replay.hosts.get(replay.host_of(one.path))) is not None
        and host.first_party
        and one.path in asked
        and not any(matches(glob, one.path) for glob in bears)
    ]
    if not own:
        return None
    first = own[0]
    more = f" and {len(own) - 1} more" if len(own) > 1 else ""
    return Fault(
        MISS,
        f"{first.method} {first.path}{more} was asked of the page's own hosts, but not recorded; if it may "
        f"be missing, {to_tolerate(first.path)}",
    )
