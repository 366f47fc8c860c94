"""0-RTT: what the server does with requests that an attacker could repeat (RFC 8470)."""

from collections.abc import Iterator

from pronghorn.check.facts import Early, Facts
from pronghorn.check.finding import Finding, Unknown

_SAFE = {"GET", "HEAD"}
_TOO_EARLY = 425


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """An unsafe request that took effect before the handshake was over."""
    quic = facts.main.quic
    if quic.early_data and not facts.early:
        yield Unknown("0-RTT", "tickets allow it, but no request could be sent in it")
    for each in facts.early:
        if each.method not in _SAFE:
            yield from _unsafe(each, named=facts.forwarding is not None)


def _unsafe(early: Early, *, named: bool) -> Iterator[Finding | Unknown]:
    if not early.accepted:
        yield Unknown(
            "unsafe requests in 0-RTT", "the server's tickets allow 0-RTT, but it rejected the data"
        )
    elif early.answered_early and early.answer is not None:
        if 200 <= early.answer.status < 300 and not named:
            yield Unknown(
                "unsafe requests in 0-RTT",
                f"a {early.method} to a path that nobody serves got {early.answer.status} before the "
                "handshake was over; whether one takes effect shows an endpoint that takes it (--echo)",
            )
        elif 200 <= early.answer.status < 300:
            yield Finding(
                "early-data-unsafe",
                "error",
                f"A {early.method} in 0-RTT data got status {early.answer.status} before the handshake was "
                "over.",
                "An attacker who records the packet can have it done again: an order, a payment.",
                "Answer 425 (Too Early) to unsafe methods in 0-RTT data, or wait for the handshake: in the "
                "application if it gets Early-Data: 1, or by $ssl_early_data in nginx; or switch 0-RTT off.",
            )
        elif early.answer.status != _TOO_EARLY:
            yield Unknown(
                "unsafe requests in 0-RTT",
                f"the {'endpoint of --echo' if named else 'path that nobody serves'} answered a "
                f"{early.method} with {early.answer.status}; name one that takes it with --echo",
            )
