"""TLS over TCP: versions, ALPN, resumption."""

from collections.abc import Iterator

from pronghorn.check.facts import Facts
from pronghorn.check.finding import Finding, Unknown

CLIENT_CERTIFICATE = {
    "TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "SSLV3_ALERT_BAD_CERTIFICATE",
    "SSLV3_ALERT_NO_CERTIFICATE",
    "SSLV3_ALERT_HANDSHAKE_FAILURE",
}
"""OpenSSL's reasons if a server demands a client's certificate; others give the last one too."""

_CERTAIN = {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "TLSV1_UNRECOGNIZED_NAME", "UNSUPPORTED_PROTOCOL"}
_CERTAIN |= {"TLSV1_ALERT_PROTOCOL_VERSION"}
"""OpenSSL's reasons if every client fails: no TLS there, a name that is not served, old versions alone."""


def fails(facts: Facts) -> Iterator[Finding | Unknown]:
    """Why there is no TLS over TCP, if there is none."""
    tcp, udp = facts.main.tcp, facts.main.quic
    if tcp.reached == "ok" and tcp.offered_h2 is not None:
        return
    where = f"{facts.main.address} port {facts.target.port}"
    beside = "UDP answers" if udp.reached in ("ok", "failed") else f"UDP is {udp.reached}"
    if tcp.reached in ("silent", "refused"):
        yield Finding(
            "tcp-dead",
            "error",
            f"{where}: TCP is {tcp.reached}, while {beside}.",
            "Browsers begin with TCP unless an HTTPS record promises h3, so they can't reach the host.",
            f"Let {facts.target.port}/tcp through, and serve TLS with HTTP/1.1 and h2 there.",
        )
    elif tcp.reached != "failed":
        yield Unknown(f"TCP at {where}", tcp.detail or "this host could not ask")
    elif tcp.tls_fault in CLIENT_CERTIFICATE:
        yield Unknown(
            f"TLS at {where}", f"the server ended it ({tcp.detail}); it may demand a client's certificate"
        )
    else:
        yield Finding(
            "tls-fails",
            "error" if tcp.tls_fault in _CERTAIN else "warning",
            f"{where} accepts TCP, but TLS fails, twice: {tcp.detail}. {beside}.",
            "Browsers show an error instead of the page, unless the server treats this client alone so.",
            f"Serve TLS for {facts.target.host} there, and see what the server logs of the handshake.",
        )


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """What a browser negotiates over TCP."""
    tcp = facts.main.tcp
    if tcp.reached != "ok" or tcp.offered_h2 is None:
        yield from fails(facts)
        return
    if tcp.offered_h2.version in ("TLSv1.2", "TLSv1.1", "TLSv1"):
        yield Finding(
            "tls-1.3-missing",
            "warning",
            f"TLS over TCP is {tcp.offered_h2.version.replace('v', ' ')} at best.",
            "Each new connection waits one round trip more than with TLS 1.3, and can't send 0-RTT data.",
            "Allow TLS 1.3: ssl_protocols TLSv1.2 TLSv1.3 (nginx).",
        )
    if tcp.old_versions is None:
        yield Unknown("TLS 1.0 and 1.1", "this host can't offer them, or the attempt did not end")
    elif tcp.old_versions:
        yield Finding(
            "tls-outdated",
            "warning",
            f"The server accepts {tcp.old_versions[0].replace('v', ' ')}.",
            "Browsers don't use it (RFC 8996), but security audits fail the host, and weak clients stay "
            "exposed.",
            "Allow TLS 1.2 and 1.3 only: ssl_protocols TLSv1.2 TLSv1.3 (nginx).",
        )
    if tcp.offered_h2.alpn != "h2":
        yield Finding(
            "h2-missing",
            "warning",
            f"Offered h2 and http/1.1, the server chose {tcp.offered_h2.alpn or 'nothing'} (ALPN).",
            "Visitors whose network blocks UDP get HTTP/1.1: six connections, no multiplexing.",
            "Switch HTTP/2 on: http2 on (nginx), alpn h2,http/1.1 (HAProxy).",
        )
    if tcp.resumption and not any(tcp.resumption):
        yield Finding(
            "resumption-missing-tcp",
            "notice",
            f"None of {len(tcp.resumption)} attempts resumed a TLS session over TCP.",
            "Every connection sends and verifies certificates again, which costs CPU and bytes.",
            "Switch tickets on: ssl_session_tickets on (nginx). Behind a balancer, share the ticket keys.",
        )
    elif not tcp.resumption:
        yield Unknown("resumption over TCP", "no session could be tried")
    yield Unknown("0-RTT over TCP", "Python's TLS can't send early data; it is checked over QUIC")
