"""Certificates: do browsers accept them, and do they fit QUIC's first flight?"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pronghorn.check.facts import Chain, Facts
from pronghorn.check.finding import Finding, Unknown
from pronghorn.foreign import line

_FIRST_FLIGHT_BYTES = 3 * 1200
"""What a server may send before the client's address is validated (RFC 9000 §8.1)."""

_PACKET_BYTES = 40
"""The least that each of its three datagrams needs beside TLS messages: headers and tags."""

_NO_ISSUER = {2, 20, 21}
"""X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, …_ISSUER_CERT_LOCALLY, …_TO_VERIFY_LEAF_SIGNATURE."""

_SELF_SIGNED = {18, 19}
"""X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN."""

_DAY = timedelta(days=1)
_REFUSED = "Browsers show a warning instead of the page."
_REFUSED_H3 = "Browsers drop the h3 connection and stay on h2."


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Over TCP, and over QUIC if other certificates are sent there."""
    tls = facts.main.tcp.offered_h2
    over_tcp = tls.chain if tls is not None else None
    over_quic = facts.main.quic.chain
    if over_tcp is not None:
        yield from _faults(over_tcp, facts, "over TCP", _REFUSED)
    elif facts.main.tcp.reached == "ok":
        yield Unknown("certificates over TCP", "no certificate that can be read was sent")
    if over_quic is not None and (over_tcp is None or over_quic.certificates != over_tcp.certificates):
        yield from _faults(over_quic, facts, "over QUIC", _REFUSED_H3)
    yield from _length(facts)


def _faults(chain: Chain, facts: Facts, where: str, effect: str) -> Iterator[Finding | Unknown]:
    leaf = chain.certificates[0]
    if not chain.covers_host:
        names = ", ".join(line(each, 60) for each in leaf.names[:5]) or "no host"
        yield Finding(
            "certificate-name",
            "error",
            f"The certificate {where} is for {names}, not for {facts.target.host}.",
            effect,
            f"Get a certificate whose SAN names {facts.target.host}, or serve the right one for this name "
            "(SNI).",
        )
    yield from _dates(chain, facts.now, where, effect)
    if chain.distrust is None:
        yield Unknown(f"trust {where}", chain.distrust_text)
    elif chain.distrust in _NO_ISSUER:
        top = chain.certificates[-1]
        yield Finding(
            "chain-incomplete",
            "error",
            f"The chain {where} ends at {line(top.subject, 80)}; its issuer {line(top.issuer, 80)} is "
            "neither "
            "sent nor trusted here.",
            f"{effect} Some browsers fetch or remember missing intermediates, so it may work for you.",
            "Send the intermediates behind the leaf: nginx's ssl_certificate takes the whole chain "
            "(fullchain.pem). If the authority is your own, name it with --ca FILE.",
        )
    elif chain.distrust in _SELF_SIGNED:
        yield Finding(
            "chain-untrusted",
            "error",
            f"The chain {where} ends at {line(chain.certificates[-1].subject, 80)}, which signed itself "
            "and is "
            "not trusted here.",
            effect,
            "Get a certificate from a public authority. If the authority is your own, name it with --ca "
            "FILE.",
        )
    elif chain.distrust:
        yield Finding(
            "chain-invalid",
            "error",
            f"The chain {where} is not valid: {line(chain.distrust_text)}.",
            effect,
            "Have the certificate issued again, and send the leaf first, then its intermediates.",
        )


def _dates(chain: Chain, now: datetime, where: str, effect: str) -> Iterator[Finding]:
    for number, each in enumerate(chain.certificates):
        if chain.used is not None and number not in chain.used:
            continue  # browsers build their path without it
        if now > each.not_after:
            yield Finding(
                "certificate-expired",
                "error",
                f"The certificate of {line(each.subject, 80)} {where} expired on {each.not_after:%Y-%m-%d}.",
                effect,
                "Renew it and reload the server. Check why the automatic renewal did not.",
            )
        elif each.not_after - now < _DAY < (each.not_after - each.not_before) / 2:
            yield Finding(
                "certificate-expires-soon",
                "warning",
                f"The certificate of {line(each.subject, 80)} {where} expires at "
                f"{each.not_after:%Y-%m-%d %H:%M} UTC.",
                f"From then on: {effect[0].lower()}{effect[1:]}",
                "Renew it and reload the server. An automatic renewal should have done so by now.",
            )
        elif now < each.not_before:
            yield Finding(
                "certificate-not-yet-valid",
                "error",
                f"The certificate of {line(each.subject, 80)} {where} is valid from "
                f"{each.not_before:%Y-%m-%d}.",
                effect,
                "Check the clocks of this host and of the host that issued it.",
            )


def _length(facts: Facts) -> Iterator[Finding]:
    quic = facts.main.quic
    if quic.handshake_bytes is None or quic.chain is None or any(quic.retried):
        return  # after a Retry the address is validated, and no such limit holds (RFC 9000 §8.1.2)
    if quic.handshake_bytes > _FIRST_FLIGHT_BYTES - 3 * _PACKET_BYTES:
        large = quic.handshake_bytes > 2 * (_FIRST_FLIGHT_BYTES - 3 * _PACKET_BYTES)
        count = len(quic.chain.certificates)
        yield Finding(
            "chain-too-long",
            "warning" if large else "notice",
            f"The TLS messages of h3's handshake have {quic.handshake_bytes} bytes, "
            f"{quic.chain.size_bytes} of "
            f"them in {count} certificates. A server may send {_FIRST_FLIGHT_BYTES} before it hears again "
            "from a "
            "client that sent one datagram.",
            "h3's first connection waits one more round trip in clients with small hellos, unless the server "
            "compresses certificates for them. Most browsers send two datagrams, which allow for twice that.",
            "Use ECDSA certificates, send no root and no unneeded intermediates, name fewer hosts, or "
            "compress "
            "certificates (RFC 8879).",
        )
