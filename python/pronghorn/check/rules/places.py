"""What is known of h3 at a place that the host advertises."""

from pronghorn.check import alternatives
from pronghorn.check.alternatives import Alternative
from pronghorn.check.facts import UNASKED, Facts, Quic, Record


def place_of(record: Record, facts: Facts) -> tuple[str, int]:
    """Where an HTTPS record leads: its host, empty for the origin's own, and its port."""
    return "" if record.target == facts.target.host else record.target, record.port or facts.target.port


def quic_at(host: str, port: int, facts: Facts) -> Quic | None:
    """What answered there; None if it was not asked."""
    if host in ("", facts.target.host) and port == facts.target.port:
        return facts.main.quic
    own = "" if host == facts.target.host else host
    return next((each.quic for each in facts.elsewhere if (each.host, each.port) == (own, port)), None)


_OF_THIS_CLIENT = {40, 47, 70, 109, 116}
"""TLS alerts of a server that finds no common parameters (a group that only browsers offer), or demands a
client's certificate."""

_NO_APPLICATION_PROTOCOL = 120
"""The TLS alert of a server that speaks none of the offered protocols (RFC 7301 §3.2)."""

_VERSION_1 = 1


def lacks_h3(quic: Quic) -> bool:
    """Whether the server ended the handshake since it has no h3 for this host."""
    return quic.alert == _NO_APPLICATION_PROTOCOL


def explained(quic: Quic) -> bool:
    """Whether it is known why a handshake failed."""
    return lacks_h3(quic) or bool(quic.versions and _VERSION_1 not in quic.versions)


def refuses(quic: Quic) -> bool:
    """Whether the server ended the handshake for a reason that holds for browsers as well. What this client
    failed at, or what the server's alert may mean of it alone, says nothing of them."""
    return quic.closed and quic.alert not in _OF_THIS_CLIENT


def works(host: str, port: int, facts: Facts) -> bool | None:
    """Whether h3 answers there; None if that isn't known."""
    quic = quic_at(host, port, facts)
    if quic is None or quic.reached in UNASKED:
        return None
    if quic.reached == "failed" and not (refuses(quic) or explained(quic)):
        return None
    return quic.reached == "ok"


def dead(host: str, port: int, facts: Facts) -> str | None:
    """Why h3 does not answer there; None if it does, or nobody knows."""
    for each in facts.elsewhere:
        if host and (each.host, each.port) == (host, port) and each.addresses == ():
            return "the resolver knows no address of it"
    quic = quic_at(host, port, facts)
    if quic is None or works(host, port, facts) is not False:
        return None
    match quic.reached:
        case "silent":
            return "nothing answers over UDP"
        case "refused":
            return "UDP is refused (ICMP): nothing listens there, or a filter rejects it"
    return quic.detail or "the handshake fails"


def advertised(facts: Facts) -> bool | None:
    """Whether anything leads browsers to h3 at the host's own place; None if that isn't known."""
    tcp, quic = facts.main.tcp, facts.main.quic
    for answer in (tcp.h1, *tcp.h2[:1], *quic.answers[:1]):
        said = alternatives.parse(answer.all("alt-svc")) if answer is not None else None
        if said is not None and any(_own(each, facts) for each in said.of("h3")):
            return True
    records = facts.names.records
    if records is None:
        return None
    own = ("", facts.target.port)
    return any("h3" in each.alpn and place_of(each, facts) == own for each in records)


def _own(one: Alternative, facts: Facts) -> bool:
    return one.host in ("", facts.target.host) and one.port == facts.target.port
