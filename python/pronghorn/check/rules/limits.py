"""Limits that a server sets: streams, header sizes, idle time-outs."""

from collections.abc import Iterator

from pronghorn.check.facts import Facts
from pronghorn.check.finding import Finding, Unknown

_LEAST_STREAMS = 100
"""RFC 9114 §6.1 and RFC 9113 §6.5.2 recommend no less."""

_LEAST_FIELDS_BYTES = 8192
"""What servers take of HTTP/1.1's header lines by default; cookies need some of it."""

_LEAST_IDLE_MS = 10_000
_MAX_FIELD_SECTION_SIZE = 0x06


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Of h2 and of h3."""
    yield from _streams(facts)
    yield from _fields(facts)
    quic = facts.main.quic
    idle_ms = (quic.parameters or {}).get("max_idle_timeout", 0)
    if 0 < idle_ms < _LEAST_IDLE_MS:
        yield Finding(
            "idle-short",
            "warning",
            f"h3 connections end after {idle_ms / 1000:g} s without traffic (max_idle_timeout).",
            "A visitor who reads for some seconds pays for a new connection with the next click.",
            "Raise QUIC's idle time-out to 30 s or more.",
        )
    if facts.main.tcp.reached == "ok":
        yield Unknown("idle time-out over TCP", "h2 doesn't announce it, and to wait for it takes minutes")
    if quic.reached == "ok":
        yield Unknown(
            "priorities",
            "no setting of h3 announces them; 'pronghorn run' measures what a server does with them",
        )


def _streams(facts: Facts) -> Iterator[Finding]:
    h2 = (facts.main.tcp.h2_settings or {}).get("max_concurrent_streams")
    if h2 is not None and h2 < _LEAST_STREAMS:
        yield Finding(
            "h2-few-streams",
            "warning",
            f"h2 allows {h2} requests at once (SETTINGS_MAX_CONCURRENT_STREAMS).",
            "On a page with more resources, requests wait in the browser for others to end.",
            "Allow 100 or more (RFC 9113 §6.5.2): http2_max_concurrent_streams 128 (nginx).",
        )
    quic = facts.main.quic
    if quic.parameters is None:
        return
    h3 = quic.parameters.get("initial_max_streams_bidi", 0)
    if h3 < _LEAST_STREAMS:
        yield Finding(
            "h3-few-streams",
            "warning",
            f"h3 allows {h3} requests at first (initial_max_streams_bidi).",
            "On a page with more resources, requests wait a round trip or longer for permission.",
            "Allow 100 or more (RFC 9114 §6.1): http3_max_concurrent_streams 128 (nginx).",
        )


def _fields(facts: Facts) -> Iterator[Finding]:
    limits = {
        "h2": (facts.main.tcp.h2_settings or {}).get("max_header_list_size"),
        "h3": (facts.main.quic.settings or {}).get(_MAX_FIELD_SECTION_SIZE),
    }
    for protocol, limit in limits.items():
        if limit is not None and limit < _LEAST_FIELDS_BYTES:
            yield Finding(
                "small-headers",
                "warning",
                f"{protocol} takes request headers of {limit} bytes in all.",
                "Visitors with many cookies get an error, over this protocol only.",
                f"Allow {_LEAST_FIELDS_BYTES} bytes or more.",
            )
