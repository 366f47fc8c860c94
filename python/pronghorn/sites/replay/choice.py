"""Which exchanges of an archive are replayed, and as what."""

import ipaddress
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pronghorn.errors import InputError
from pronghorn.sites.archive import Archive, Exchange

OVER_HTTP, ADDRESS = "redirected from http", "an address as host"
"""Why exchanges are left out."""

REDIRECTS = range(300, 400)


@dataclass
class Chosen:
    """The exchanges that are replayed, the page's first, then in the order of their start; of a request and
    its preflight the preflight first.

    `initiators` are the ids of those that asked for them, through those that are left out, `left_out` counts
    these by reason; `over_http` are those that were recorded without TLS, which the lab doesn't measure."""

    exchanges: list[Exchange] = field(default_factory=list)
    initiators: dict[int, int | None] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    over_http: int = 0


def choose(archive: Archive) -> Chosen:
    """What is replayed of an archive; InputError where its page is not.

    All of it, over TLS. A redirect from http to the same URL over https is left out, for the load begins
    there; and so is a host that is an address, which can be no name."""
    secure = {_key(one) for one in archive.exchanges if one.target.scheme == "https"}
    chosen = Chosen()
    passed: dict[int, int | None] = {}
    for one in archive.exchanges:
        initiator = passed.get(one.initiator, one.initiator) if one.initiator is not None else None
        if one.target.scheme == "http" and one.status in REDIRECTS and _key(one) in secure:
            passed[one.id] = initiator
            chosen.left_out[OVER_HTTP] += 1
            continue
        if _is_address(one.target.host):
            chosen.left_out[ADDRESS] += 1
            continue
        chosen.exchanges.append(one)
        chosen.initiators[one.id] = initiator
        chosen.over_http += one.target.scheme == "http"
    page = _page(archive, chosen.exchanges, passed)
    behind = _put_behind_preflights(chosen)
    chosen.exchanges.sort(key=lambda one: (one is not page, *behind.get(one.id, (one.start_s, one.id, 0))))
    chosen.initiators[page.id] = None
    return chosen


def _put_behind_preflights(chosen: Chosen) -> dict[int, tuple[float, int, int]]:
    """Has a preflight's end set off the request that is recorded as the preflight's initiator: the browser
    asks for both at once, and sends the request when the preflight allows it (Fetch, §4.8). The places of
    both in the order."""
    by_id = {one.id: one for one in chosen.exchanges}
    places: dict[int, tuple[float, int, int]] = {}
    for one in chosen.exchanges:
        request = by_id.get(chosen.initiators[one.id] or 0)
        if one.how != "preflight" or request is None or request.id in places:
            continue
        if request.url == one.url and request.method != one.method:
            chosen.initiators[one.id] = chosen.initiators[request.id]
            chosen.initiators[request.id] = one.id
            places[one.id] = request.start_s, request.id, 0
            places[request.id] = request.start_s, request.id, 1
    return places


def _page(archive: Archive, exchanges: Iterable[Exchange], passed: Mapping[int, int | None]) -> Exchange:
    """The page's exchange, or what its redirect to https led to."""
    page = archive.page
    here = [one for one in exchanges if one.id == page.id or (page.id in passed and _key(one) == _key(page))]
    if not here:
        raise InputError(
            f"{archive.folder}: its page {page.url} can't be replayed: its host is an address, which has no "
            "name to be served by.",
        )
    return here[0]


def _key(one: Exchange) -> tuple[str, str, str]:
    return one.method, one.target.host, one.target.path


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
