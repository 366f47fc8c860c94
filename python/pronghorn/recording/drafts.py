"""What the browser said of a request, as a draft."""

from collections.abc import Iterator
from typing import Any

from pronghorn.archiving import Body, Draft, Source
from pronghorn.archiving.choose import FAILED, SOCKET
from pronghorn.browser.events import Exchange
from pronghorn.importing.har.asked import HOWS
from pronghorn.importing.har.entry import KINDS
from pronghorn.importing.har.values import size
from pronghorn.recording.netlog import Log, Response
from pronghorn.recording.visit import Seen
from pronghorn.sites.archive import limits
from pronghorn.sites.archive.exchange import Protocol
from pronghorn.sites.stream import Stream

BY_BROWSER, OPEN = "asked for by the browser itself", "still under way at the end"
BLOCKED = "blocked by the page's policy"
CUT = "body that the browser did not read to its end, filled with seeded bytes"
LACKING = "body that the browser's log lacks, replaced by seeded bytes"

_PROTOCOLS: dict[str, Protocol] = {"http/1.0": "h1", "http/1.1": "h1", "h2": "h2", "h3": "h3"}


def drafts(seen: Seen, log: Log, source: Source) -> Iterator[Draft]:
    """The requests of a load in their order. What was left out is counted in `source`."""
    for url in seen.events.sockets:
        yield Draft(url, failed=SOCKET)
    frames: dict[str, str] = {}
    for one in seen.events.exchanges:
        if not one.counted:
            source.left_out[BY_BROWSER] += 1
            continue
        response = log.take(one.sent["request"]["method"] or "GET", one.url)
        yield _draft(one, response, seen, log, source, frames)
        if one.sent.get("type") == "Document":
            frames[str(one.sent.get("frameId"))] = one.url


def _draft(
    exchange: Exchange,
    logged: Response | None,
    seen: Seen,
    log: Log,
    source: Source,
    frames: dict[str, str],
) -> Draft:
    told, number = exchange.response or {}, str(exchange.sent["requestId"])
    kind = exchange.sent.get("type", "")
    initiator = exchange.sent["initiator"]
    found = Draft(
        url=exchange.url,
        method=exchange.sent["request"]["method"] or "GET",
        status=int(told.get("status") or 0),
        headers=(logged and logged.headers) or _pairs(exchange.got_headers or told.get("headers")),
        hints=_pairs(seen.hints.get(number)),
        kind=KINDS.get(kind.lower()),
        initiator=initiator["url"],
        how=HOWS.get(str(initiator["type"]).lower()),
        frame=None if kind == "Document" else frames.get(str(exchange.sent.get("frameId"))),
        start_s=float(exchange.sent["timestamp"]),
        priority=exchange.priority,
        protocol=_PROTOCOLS.get(str(told.get("protocol", "")).lower()),
        connection=str(told["connectionId"]) if told.get("connectionId") else None,
        address=told.get("remoteIPAddress") or None,
        request_headers=_pairs(exchange.sent_headers or exchange.sent["request"]["headers"]),
        request_body=seen.posted_by(exchange.sent),
        from_cache=exchange.from_cache,
        failed=_failed(exchange),
    )
    _time(found, exchange, told.get("timing"))
    if found.failed is None and not found.from_cache:
        content = log.body(logged) if logged is not None else None
        expected = exchange.decoded_bytes
        if content is None or (not content and expected):
            source.repaired[LACKING] += expected > 0
            found.body = Body(None, False, exchange.body_bytes or None, expected or None)
        else:
            found.body = _whole(found, content, source)
    return found


def _whole(draft: Draft, content: bytes, source: Source) -> Body:
    """A body as the server sent it: the browser stops reading what it has no use for, such as an image that
    is none. What is missing is made up."""
    length = size(draft.header("content-length")) or 0
    if draft.method == "HEAD" or len(content) >= length or length > limits.MOST_BODY:
        return Body(content)
    source.repaired[CUT] += 1
    if draft.header("content-encoding"):
        return Body(None, False, length, None)
    rest = Stream(0, "archive").bytes(draft.url, length - len(content))
    return Body(content + rest)


def _failed(exchange: Exchange) -> str | None:
    """Why there is no response to keep. One that the page gave up while it came is kept: the page will ask
    for it again."""
    if exchange.blocked:
        return BLOCKED
    if exchange.response is None and (exchange.error is not None or exchange.aborted):
        return FAILED
    return OPEN if exchange.ended is None or exchange.response is None else None


def _time(draft: Draft, exchange: Exchange, timing: dict[str, Any] | None) -> None:
    """Milliseconds from `requestTime` on, in seconds of the browser's clock (DevTools, ResourceTiming)."""
    ended = exchange.ended if exchange.ended is not None else draft.start_s
    if not timing:
        draft.wait_s = max(0.0, ended - draft.start_s)
        return
    begun = float(timing["requestTime"])
    sent, first = (begun + float(timing[name]) / 1e3 for name in ("sendEnd", "receiveHeadersEnd"))
    draft.blocked_s = max(0.0, sent - draft.start_s)
    draft.wait_s = max(0.0, first - sent)
    draft.receive_s = max(0.0, ended - first)
    connect = float(timing["connectEnd"]) - float(timing["connectStart"])
    secured = float(timing["sslEnd"]) - float(timing["sslStart"])
    # Of QUIC the whole handshake is one, with TLS in it.
    if draft.protocol in ("h1", "h2") and 0 < secured < connect:
        draft.rtt_s = (connect - secured) / 1e3


def _pairs(headers: dict[str, Any] | None) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in (headers or {}).items()]
