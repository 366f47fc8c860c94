"""QUIC: does it answer, and what does a connection cost?"""

from collections.abc import Iterator

from pronghorn.check.facts import Facts, Quic
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.rules.places import advertised, explained, lacks_h3, refuses

_RESERVED = 0x0A0A0A0A
"""Versions that servers list only so that clients learn to ignore some (RFC 9000 §15)."""

_BROWSERS_START_BYTES = 1280


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Reachability is advertising's; this is what answers."""
    quic = facts.main.quic
    if quic.reached == "failed":
        yield from _failed(quic, facts)
    elif quic.reached == "ok":
        yield from _costs(quic)
        yield from _sizes(facts)


def _failed(quic: Quic, facts: Facts) -> Iterator[Finding | Unknown]:
    where = f"{facts.main.address} port {facts.target.port}/udp"
    offered = advertised(facts)
    if explained(quic) and not offered:
        if offered is None:
            yield Unknown(f"h3 at {where}", "it answers without h3; HTTPS records could not be asked for")
        return  # advertising's "h3-not-offered"
    if lacks_h3(quic):
        yield Finding(
            "h3-missing",
            "error",
            f"{where} is advertised for h3 and speaks QUIC, but not h3 (ALPN).",
            "Browsers try h3 there, and stay on h2.",
            "Switch HTTP/3 on for this host: http3 on (nginx), alpn h3 (HAProxy).",
        )
    elif explained(quic):
        real = [each for each in quic.versions or () if each & 0x0F0F0F0F != _RESERVED]
        told = ", ".join(f"{each:#x}" for each in real) or "of no meaning"
        yield Finding(
            "quic-version",
            "error",
            f"{where} speaks QUIC versions {told}, but not version 1.",
            "Browsers can't use h3.",
            "Update the server: version 1 (RFC 9000) is what browsers speak.",
        )
    elif not offered or not refuses(quic):
        why = quic.detail or "no reason given"
        yield Unknown("QUIC's handshake", f"{where} answers, but check's client could not finish it: {why}")


def _costs(quic: Quic) -> Iterator[Finding | Unknown]:
    if quic.versions is None:
        yield Unknown("version negotiation", "this host could not ask")
    elif not quic.versions:
        yield Finding(
            "version-negotiation-missing",
            "notice",
            "A packet of an unknown QUIC version got no Version Negotiation packet, in eight attempts.",
            "A client with a newer version waits for its time-out instead of learning which version to use.",
            "Let the server, and whatever filters UDP before it, answer unknown versions (RFC 9000 §6).",
        )
    if len(quic.retried) > 1 and all(quic.retried):
        with_token = ", one with the server's own token too" if quic.retried_with_token else ""
        yield Finding(
            "retry-always",
            "warning" if quic.retried_with_token else "notice",
            f"All {len(quic.retried)} connections had to repeat their first packet (Retry){with_token}.",
            "Each connection of a client without a token, such as a first visit, waits one round trip more.",
            "Demand Retry only under attack: quic_retry off (nginx), quic-force-retry unset (HAProxy).",
        )
    if quic.tickets == 0 and len(quic.retried) > 1:
        seen = f"The server sent no session ticket over QUIC, on {len(quic.retried)} connections."
    elif len(quic.resumption) > 1 and not any(quic.resumption):
        seen = f"None of {len(quic.resumption)} attempts resumed a session over QUIC."
    else:
        return
    yield Finding(
        "resumption-missing-quic",
        "notice",
        seen,
        "Every h3 connection sends certificates again, and none can use 0-RTT.",
        "Switch tickets on: ssl_session_tickets on (nginx). Behind a balancer, share the ticket keys.",
    )


def _sizes(facts: Facts) -> Iterator[Finding | Unknown]:
    for each in facts.datagrams:
        if each.survived is None:
            yield Unknown(
                f"datagrams of {each.payload_bytes} bytes",
                "too long, as this host or a router says (ICMP), or the handshake began and did not end",
            )
    most = (facts.main.quic.parameters or {}).get("max_udp_payload_size", 65527)
    lost = [each.payload_bytes for each in facts.datagrams if each.survived is False]
    if refused := [each for each in lost if each > most]:
        yield Unknown(
            f"datagrams of {', '.join(map(str, refused))} bytes",
            f"the server takes no more than {most} (max_udp_payload_size)",
        )
    lost = [each for each in lost if each <= most]
    if lost:
        yield Finding(
            "datagrams-lost",
            "warning" if min(lost) <= _BROWSERS_START_BYTES else "notice",
            f"Handshakes with datagrams of {', '.join(map(str, lost))} bytes get no reply, twice; "
            "with 1200 bytes they end.",
            "Clients that start with larger datagrams wait for time-outs; all others are held to small ones.",
            "Raise the MTU of tunnels between this host and the server, or let ICMP 'fragmentation needed' "
            "through. If this host is behind a VPN, check from another network.",
        )
