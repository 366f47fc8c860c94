"""HAR files of page loads, each over what its browser spoke with the page's host."""

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pronghorn.importing.har.file import log
from pronghorn.importing.har.timing import moment, timing
from pronghorn.importing.har.values import items, number, pairs, size, table, text
from pronghorn.model import bounds
from pronghorn.model.trial import Connection, PageLoad, Resource
from pronghorn.traps.facts import Facts, Hop, Offer, Protocol, Visit

_SPOKEN: dict[str, Protocol] = {
    "h2": "h2",
    "http/2.0": "h2",
    "http/2": "h2",
    "h3": "h3",
    "http/3.0": "h3",
    "http/3": "h3",
}
_URGENCIES = {"veryhigh": 0, "highest": 0, "high": 1, "medium": 2, "low": 3, "verylow": 4, "lowest": 4}
"""Chromium's `_priority`, as it maps it to RFC 9218's."""

_REDIRECTS = range(300, 400)
_MOST_LOAD_S = 3600.0
"""What begins later than that belongs to no page load."""

_MOST_REQUESTS = 10_000


def facts(files: list[Path]) -> Facts:
    """What files tell together; InputError where one can't be used."""
    visits: list[Visit] = []
    lacks = ["A HAR file tells nothing of packets, losses and DNS."]
    offer: Offer | None = None
    for file in files:
        archive = log(file)
        entries = [one for one in items(archive["entries"]) if isinstance(one, dict)]
        entries, on_load_s = _of_first_page(archive, entries)
        hops = _hops(entries)
        if hops:
            offer = Offer(hops, hops[-1].port, None, "a HAR file has no DNS")
        visit = _visit(entries[:_MOST_REQUESTS], hops[-1].host if hops else None, on_load_s)
        if len(entries) > _MOST_REQUESTS:
            lacks.append(f"{file}: of its page's requests the first {_MOST_REQUESTS} are read.")
        if on_load_s is None:
            lacks.append(f"{file}: it has no onLoad, so the load's time is that of its last byte.")
        if visit is None:
            lacks.append(f"{file}: the page's host spoke neither HTTP/2 nor HTTP/3 in it.")
        else:
            visits.append(visit)
    for protocol in ("h2", "h3"):
        if not any(one.protocol == protocol for one in visits):
            lacks.append(f"No file has a load over {protocol}, so nothing is compared.")
    return Facts(", ".join(map(str, files)), visits, offer, lacks=lacks)


def _hops(entries: list[dict[str, Any]]) -> tuple[Hop, ...]:
    """The document and the redirects before it."""
    hops = []
    for one in entries:
        parts = _url(one)
        if parts is None or parts.scheme != "https" or not parts.hostname:
            continue
        answer = table(one, "response")
        fields = {name.lower(): value for name, value in pairs(answer.get("headers"))}
        told = number(answer.get("status")) or 0
        status = int(told) if 0 < told < 1000 else 0
        hops.append(
            Hop(parts.hostname, parts.port or 443, fields.get("alt-svc"), fields.get("server"), status)
        )
        if status not in _REDIRECTS:
            break
    return tuple(hops)


def _of_first_page(
    archive: dict[str, Any], entries: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], float | None]:
    """The entries of the first page, until its load event, and when that was; all where nobody tells."""
    page = table(next(iter(items(archive.get("pages"))), None))
    name, begun_s = text(page.get("id")), moment(page.get("startedDateTime"))
    told = number(table(page, "pageTimings").get("onLoad"))
    own = [one for one in entries if text(one.get("pageref")) in (name, "")] if name else entries
    if begun_s is None or told is None or not 0 < told <= _MOST_LOAD_S * 1e3:
        return own, None
    end_s = begun_s + told / 1e3
    before = [one for one in own if (at := moment(one.get("startedDateTime"))) is not None and at <= end_s]
    return before, told / 1e3


def _url(entry: dict[str, Any]) -> SplitResult | None:
    """A request's address; None where it is none."""
    try:
        parts = urlsplit(text(table(entry, "request").get("url")))
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts


def _visit(entries: list[dict[str, Any]], host: str | None, on_load_s: float | None) -> Visit | None:
    with_url = [(one, url) for one in entries if (url := _url(one)) is not None]
    of_host = [one for one, url in with_url if url.hostname == host]
    paths = {id(one): url.path or "/" for one, url in with_url}
    spoken = Counter(one for one in map(_protocol, of_host) if one is not None)
    starts = [at for one in of_host if (at := moment(one.get("startedDateTime"))) is not None]
    if not spoken or not starts:
        return None
    (protocol, _), *_ = spoken.most_common(1)
    since_s = min(at for at in starts if abs(at - starts[0]) <= _MOST_LOAD_S)
    resources: list[Resource] = []
    trips: list[float] = []
    for one in of_host:
        at = moment(one.get("startedDateTime"))
        if at is None or not 0 <= at - since_s <= _MOST_LOAD_S or _protocol(one) not in (protocol, None):
            continue
        took = timing(one)
        request_s = at - since_s + took.blocked
        first_s = request_s + took.wait
        if took.rtt:
            trips.append(took.rtt)
        resources.append(
            Resource(
                path=paths[id(one)],
                kind="document" if not resources else "other",
                urgency=_URGENCIES.get(text(one.get("_priority")).lower()),
                bytes=_bytes(one),
                start_s=at - since_s,
                request_s=request_s,
                first_byte_s=first_s,
                last_byte_s=first_s + took.receive,
            )
        )
    last_s = max((one.last_byte_s for one in resources if one.last_byte_s is not None), default=0.0)
    if last_s <= 0:
        return None
    load_s = max(on_load_s if on_load_s is not None else last_s, bounds.LEAST_S)
    opened = [Connection(start_s=0.0, connected_s=min(trips))] if trips and protocol == "h2" else []
    return Visit(protocol, PageLoad(outcome="ok", load_s=load_s, resources=resources, connections=opened))


def _protocol(entry: dict[str, Any]) -> Protocol | None:
    told = text(table(entry, "response").get("httpVersion")).lower()
    return _SPOKEN.get(told)


def _bytes(entry: dict[str, Any]) -> int:
    answer = table(entry, "response")
    told = (answer.get("_transferSize"), answer.get("bodySize"), table(answer, "content").get("size"))
    return next((found for one in told if (found := size(one)) and found <= bounds.MOST_COUNT), 0)
