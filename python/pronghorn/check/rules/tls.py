"""TLS over TCP: versions, ALPN, resumption."""

from collections.abc import Iterator

from pronghorn.check.facts import Facts
from pronghorn.check.finding import Finding, Unknown


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """What a browser negotiates over TCP."""
    tcp = facts.main.tcp
    if tcp.reached != "ok" or tcp.offered_h2 is None:
        if tcp.reached in ("silent", "refused", "failed"):
            yield Finding(
                "tcp-dead",
                "error",
                f"{facts.main.address} port {facts.target.port}: TCP {tcp.reached}"
                f"{f' ({tcp.detail})' if tcp.detail else ''}, while UDP answers.",
                "Browsers begin with TCP unless an HTTPS record promises h3, so they can't reach the host.",
                f"Let {facts.target.port}/tcp through, and serve TLS with HTTP/1.1 and h2 there.",
            )
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
