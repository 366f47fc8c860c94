"""HAR files of page loads, each over what its browser spoke with the page's host."""

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pronghorn.importing.har.file import log
from pronghorn.importing.har.timing import moment, timing
from pronghorn.importing.har.values import items, number, pairs, size, table, text
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


def facts(files: list[Path]) -> Facts:
    """What files tell together; InputError where one can't be used."""
    visits: list[Visit] = []
    lacks = ["A HAR file tells nothing of packets, losses and DNS."]
    offer: Offer | None = None
    for file in files:
        entries = [one for one in items(log(file)["entries"]) if isinstance(one, dict)]
        hops = _hops(entries)
        if hops:
            offer = Offer(hops, hops[-1].port, None, "a HAR file has no DNS")
        visit = _visit(entries, hops[-1].host if hops else None)
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
        parts = urlsplit(text(table(one, "request").get("url")))
        if parts.scheme != "https" or not parts.hostname:
            continue
        answer = table(one, "response")
        fields = {name.lower(): value for name, value in pairs(answer.get("headers"))}
        hops.append(Hop(parts.hostname, parts.port or 443, fields.get("alt-svc")))
        if (number(answer.get("status")) or 0) not in _REDIRECTS:
            break
    return tuple(hops)


def _visit(entries: list[dict[str, Any]], host: str | None) -> Visit | None:
    of_host = [one for one in entries if urlsplit(text(table(one, "request").get("url"))).hostname == host]
    spoken = Counter(one for one in map(_protocol, of_host) if one is not None)
    starts = [at for one in of_host if (at := moment(one.get("startedDateTime"))) is not None]
    if not spoken or not starts:
        return None
    (protocol, _), *_ = spoken.most_common(1)
    since_s = min(starts)
    resources: list[Resource] = []
    trips: list[float] = []
    for one in of_host:
        at = moment(one.get("startedDateTime"))
        if at is None or _protocol(one) not in (protocol, None):
            continue
        took = timing(one)
        request_s = at - since_s + took.blocked
        first_s = request_s + took.wait
        if took.rtt:
            trips.append(took.rtt)
        resources.append(
            Resource(
                path=urlsplit(text(table(one, "request").get("url"))).path or "/",
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
    opened = [Connection(start_s=0.0, connected_s=min(trips))] if trips and protocol == "h2" else []
    return Visit(protocol, PageLoad(outcome="ok", load_s=last_s, resources=resources, connections=opened))


def _protocol(entry: dict[str, Any]) -> Protocol | None:
    told = text(table(entry, "response").get("httpVersion")).lower()
    return _SPOKEN.get(told)


def _bytes(entry: dict[str, Any]) -> int:
    answer = table(entry, "response")
    told = (answer.get("_transferSize"), answer.get("bodySize"), table(answer, "content").get("size"))
    return next((found for one in told if (found := size(one))), 0)
