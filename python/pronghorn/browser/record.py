"""A load as the events tell it, made into a PageLoad: JSON as the control plane's model has it."""

from pathlib import Path
from typing import Any

from pronghorn.browser import faults, netlog, vitals
from pronghorn.browser.asked import Asked, path_of
from pronghorn.browser.connections import Connections
from pronghorn.browser.events import Events, Exchange
from pronghorn.browser.job import NETLOG, Job

_PROTOCOLS = {"http/1.0": "h1", "http/1.1": "h1", "h2": "h2", "h3": "h3"}
_KINDS = {
    "Document": "document",
    "Script": "script",
    "Stylesheet": "style",
    "Image": "image",
    "Font": "font",
}
_URGENCIES = {"VeryHigh": 0, "High": 1, "Medium": 2, "Low": 3, "VeryLow": 4}
"""Chromium's priorities as it sends them in the header Priority (RFC 9218 §4.1)."""


def make(events: Events, started: float, seen: dict[str, Any], job: Job, fault: str | None) -> dict[str, Any]:
    """The record of a navigation that began at `started` of the browser's clock, of which the page has `seen`
    what `vitals.read` gives. `fault` is what ended the wait for the load early: an error of the network's, a
    word of `faults`, or None."""
    asked = Asked(
        events,
        job.url,
        alone=job.alone,
        tolerate=job.tolerate,
        finished=fault is None,
        recorded=job.recorded,
    )
    judged = [(one, asked.left_out(one)) for one in events.exchanges if one.counted]
    exchanges = [one for one, why in judged if why is None]
    log = job.artifacts.get(NETLOG)
    connections = Connections(started, netlog.resumed(Path(log)) if log else {})
    resources = [_resource(one, asked, started, connections.of(one)) for one in exchanges]
    reason, detail = faults.outcome(exchanges, resources, asked, fault, job.limit_s)
    navigation = seen["navigation"] or {}
    documents = [
        resource
        for one, resource in zip(exchanges, resources, strict=True)
        if events.navigations.is_own(one.sent)
    ]
    document = documents[-1] if documents else None
    first = connections.records[0] if connections.records else {}
    if document is None or document["status"] is None:
        seen, navigation = vitals.NOTHING, {}
    travelled = [one for one in resources if not one["from_cache"]]
    return {
        "outcome": "failed" if reason else "ok",
        "reason": reason,
        "detail": detail,
        "started_monotonic_s": started,
        "load_s": None if reason else vitals.seconds(navigation.get("loadEventStart")),
        "ttfb_s": document["first_byte_s"] if document else None,
        "connect_s": first.get("connected_s"),
        "tls_s": first.get("secured_s"),
        "requests": len(travelled),
        "bytes": sum(one["bytes"] for one in travelled),
        "failures": sum(1 for one in resources if one["error"] or (one["status"] or 0) >= 400),
        "connections": connections.records,
        "resources": resources,
        **asked.told([(one, why) for one, why in judged if why is not None], _KINDS),
        "vitals": vitals.figures(seen),
    }


def _resource(exchange: Exchange, asked: Asked, started: float, connection: int | None) -> dict[str, Any]:
    response = exchange.response or {}
    timing = response.get("timing")
    return {
        "path": asked.path(exchange),
        "kind": _KINDS.get(exchange.sent.get("type", ""), "other"),
        "initiator": _initiator(exchange),
        "priority": exchange.priority,
        "urgency": _URGENCIES.get(exchange.priority or ""),
        "protocol": _PROTOCOLS.get(response.get("protocol", "")),
        "status": response.get("status"),
        "bytes": exchange.body_bytes if exchange.response else 0,
        "content_coding": exchange.content_coding,
        "connection": connection,
        "from_cache": exchange.from_cache,
        "start_s": exchange.sent["timestamp"] - started,
        "request_s": _time(timing, "sendStart", started),
        "first_byte_s": _time(timing, "receiveHeadersEnd", started),
        "last_byte_s": exchange.ended - started if exchange.ended is not None else None,
        "error": asked.error(exchange),
    }


def _initiator(exchange: Exchange) -> str | None:
    """The document, style sheet or script that asked for it; of a script's request the innermost one."""
    url = exchange.sent["initiator"]["url"]
    return path_of(url).partition("?")[0] or None if url else None


def _time(timing: dict[str, Any] | None, name: str, started: float) -> float | None:
    if timing is None or timing.get(name, -1) < 0:
        return None
    return float(timing["requestTime"] + timing[name] / 1e3 - started)
