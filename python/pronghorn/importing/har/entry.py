"""One entry of a HAR file as a draft."""

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from pronghorn.archiving import Draft
from pronghorn.archiving.choose import FAILED, SOCKET
from pronghorn.importing.har.asked import asked
from pronghorn.importing.har.content import body
from pronghorn.importing.har.timing import moment, timing
from pronghorn.importing.har.values import items, pairs, size, table, text
from pronghorn.sites.archive import Kind
from pronghorn.sites.archive.exchange import Protocol

KINDS: dict[str, Kind] = {
    "document": "document",
    "stylesheet": "style",
    "css": "style",
    "script": "script",
    "image": "image",
    "font": "font",
    "xhr": "fetch",
    "fetch": "fetch",
    "media": "media",
    "texttrack": "media",
}
"""By DevTools' type of a resource, in lower case, and by the older words of others."""

_CACHES = ("memory", "disk", "prefetch", "cache", "service worker")
_NOT_TRAVELLED = ("fromDiskCache", "fromPrefetchCache", "fromServiceWorker", "_fetchedViaServiceWorker")
_NO_CONNECTIONS = ("443", "80", "0", "-1")
_MOST_URL = 2**20


def draft(entry: dict[str, Any], repaired: Counter[str], folder: Path) -> Draft | None:
    """An entry as a draft; None where it names no URL. `repaired` counts what had to be put right,
    `folder` is where the file stands."""
    request, response = table(entry, "request"), table(entry, "response")
    # WebPageTest once had a path in `_url`, and the whole in `_full_url`.
    url = text(request.get("url"), _MOST_URL) or text(entry.get("_full_url"), _MOST_URL)
    if not url:
        return None
    headers, times = pairs(response.get("headers")), timing(entry)
    started = moment(entry.get("startedDateTime"))
    if started is None:
        repaired["entry without its time"] += 1
    status = size(response.get("status")) or 0
    location = text(response.get("redirectURL"))
    if 300 <= status < 400 and location and not any(name.lower() == "location" for name, _ in headers):
        headers.append(("Location", location))
    if not headers and text(table(response, "content").get("mimeType"), 200):
        headers.append(("Content-Type", text(table(response, "content").get("mimeType"), 200)))
    initiator, how = asked(entry)
    found = Draft(
        url=url,
        method=text(request.get("method"), 64).upper() or "GET",
        status=status,
        headers=headers,
        kind=KINDS.get(text(entry.get("_resourceType"), 64).lower()),
        initiator=initiator,
        how=how,
        start_s=started or 0.0,
        blocked_s=times.blocked,
        wait_s=times.wait,
        receive_s=times.receive,
        rtt_s=times.rtt,
        priority=text(entry.get("_priority") or entry.get("_initialPriority"), 64) or None,
        protocol=protocol(entry, request, response),
        connection=_connection(entry),
        address=text(entry.get("serverIPAddress") or entry.get("_ip_addr"), 64).strip("[]") or None,
        request_headers=pairs(request.get("headers")),
        request_body=_posted(request),
        from_cache=_from_cache(entry, response),
        failed=_failed(entry, response, status),
    )
    uncompressed = size(entry.get("_objectSizeUncompressed")) or None
    found.body = body(response, headers, repaired, folder, uncompressed)
    return found


def protocol(entry: dict[str, Any], request: dict[str, Any], response: dict[str, Any]) -> Protocol | None:
    """The protocol under any of its names: `HTTP/2.0`, `h2`, `h3-29`, `http/2+quic/46`."""
    for value in (response.get("httpVersion"), request.get("httpVersion"), entry.get("_protocol")):
        name = text(value, 40).lower()
        if "quic" in name or name.startswith(("h3", "http/3")):
            return "h3"
        if name.startswith(("h2", "http/2", "spdy")):
            return "h2"
        if name.startswith(("http/1", "1.")):
            return "h1"
    return None


def _connection(entry: dict[str, Any]) -> str | None:
    """A name for the connection. Firefox and some versions of Chrome name the server's port there."""
    for key in ("_connectionId", "connection", "_socket"):
        value = text(entry.get(key), 64)
        if value and value not in _NO_CONNECTIONS:
            return value
    return None


def _from_cache(entry: dict[str, Any], response: dict[str, Any]) -> bool:
    told = (text(entry.get("_fromCache"), 64) or text(entry.get("_fetchType"), 64)).lower()
    flags = (response.get(name) is True for name in _NOT_TRAVELLED)
    return any(word in told for word in _CACHES) or entry.get("_servedFromCache") is True or any(flags)


def _failed(entry: dict[str, Any], response: dict[str, Any], status: int) -> str | None:
    if text(entry.get("_resourceType"), 64).lower() == "websocket" or "_webSocketMessages" in entry:
        return SOCKET
    if text(response.get("_charlesStatus"), 64).upper() not in ("", "COMPLETE"):
        return FAILED
    error = text(response.get("_error"), 200) or text(entry.get("_error"), 200)
    return FAILED if error or status < 200 else None


def _posted(request: dict[str, Any]) -> bytes | None:
    told = table(request, "postData")
    written = told.get("text")
    if isinstance(written, str) and written:
        return written.encode("utf-8", "replace")
    fields = [
        f"{quote_plus(name)}={quote_plus(value)}"
        for one in items(told.get("params"))
        if isinstance(one, dict)
        for name, value in [(text(one.get("name")), text(one.get("value")))]
    ]
    return "&".join(fields).encode() or None
