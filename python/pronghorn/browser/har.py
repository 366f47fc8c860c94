"""A load as an HTTP Archive, version 1.2 (the format that browsers' developer tools exchange)."""

import datetime
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pronghorn.browser.events import Exchange

_PAGE = "page_1"
_UNKNOWN = -1


def archive(
    exchanges: Iterable[Exchange], seen: dict[str, Any], browser: str, program: str
) -> dict[str, Any]:
    """The archive of a navigation's exchanges. `seen` is what `vitals.read` gave, `browser` and `program` are
    names with their versions."""
    entries = [_entry(one) for one in exchanges if one.counted]
    navigation = seen["navigation"] or {}
    started = entries[0]["startedDateTime"] if entries else _moment(0.0)
    return {
        "log": {
            "version": "1.2",
            "creator": _named(program),
            "browser": _named(browser),
            "pages": [
                {
                    "id": _PAGE,
                    "startedDateTime": started,
                    "title": navigation.get("name", ""),
                    "pageTimings": {
                        "onContentLoad": navigation.get("domContentLoadedEventStart", _UNKNOWN),
                        "onLoad": navigation.get("loadEventStart", _UNKNOWN),
                    },
                }
            ],
            "entries": entries,
        }
    }


def _entry(exchange: Exchange) -> dict[str, Any]:
    response = exchange.response or {}
    timings = _timings(exchange)
    total = sum(max(timings[name], 0.0) for name in ("blocked", "dns", "connect", "send", "wait", "receive"))
    version = response.get("protocol", "")
    return {
        "pageref": _PAGE,
        "startedDateTime": _moment(float(exchange.sent["wallTime"])),
        "time": total,
        "request": {
            "method": exchange.sent["request"]["method"],
            "url": exchange.url,
            "httpVersion": version,
            "cookies": [],
            "headers": _pairs(exchange.sent_headers or exchange.sent["request"]["headers"]),
            "queryString": [
                {"name": name, "value": value}
                for name, value in parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)
            ],
            "headersSize": _UNKNOWN,
            "bodySize": 0,
        },
        "response": {
            "status": response.get("status", 0),
            "statusText": response.get("statusText", ""),
            "httpVersion": version,
            "cookies": [],
            "headers": _pairs(exchange.got_headers or response.get("headers", {})),
            "content": {"size": exchange.decoded_bytes, "mimeType": response.get("mimeType", "")},
            "redirectURL": "",
            "headersSize": _UNKNOWN,
            "bodySize": 0 if exchange.from_cache else exchange.body_bytes,
            "_transferSize": exchange.encoded_bytes,
            "_error": exchange.error,
        },
        "cache": {},
        "timings": timings,
        "serverIPAddress": response.get("remoteIPAddress", ""),
        "connection": str(response.get("connectionId", "")),
        "_priority": exchange.priority,
        "_resourceType": exchange.sent.get("type", "Other").lower(),
        "_fromCache": exchange.from_cache,
    }


def _timings(exchange: Exchange) -> dict[str, float]:
    """The phases in milliseconds, -1 where one does not apply; `connect` includes `ssl`."""
    timing = (exchange.response or {}).get("timing")
    ended = exchange.ended if exchange.ended is not None else exchange.sent["timestamp"]
    if not timing:
        waited = (ended - exchange.sent["timestamp"]) * 1e3
        return dict.fromkeys(("blocked", "dns", "connect", "ssl"), _UNKNOWN) | {
            "send": 0.0,
            "wait": waited,
            "receive": 0.0,
        }
    queued = (timing["requestTime"] - exchange.sent["timestamp"]) * 1e3
    phases = {
        name: timing[f"{name}End"] - timing[f"{name}Start"] if timing[f"{name}Start"] >= 0 else _UNKNOWN
        for name in ("dns", "connect", "ssl")
    }
    before = sum(max(phases[name], 0.0) for name in ("dns", "connect"))
    first = timing["receiveHeadersEnd"]
    return {
        "blocked": max(0.0, queued + timing["sendStart"] - before),
        **phases,
        "send": timing["sendEnd"] - timing["sendStart"],
        "wait": max(0.0, first - timing["sendEnd"]),
        "receive": max(0.0, (ended - timing["requestTime"]) * 1e3 - first),
    }


def _pairs(headers: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _named(text: str) -> dict[str, str]:
    name, _, version = text.partition("/")
    return {"name": name, "version": version}


def _moment(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")
