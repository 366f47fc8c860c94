"""What is known of h3 at a place that the host advertises."""

from pronghorn.check import alternatives
from pronghorn.check.alternatives import Alternative
from pronghorn.check.facts import UNASKED, Facts, Quic, Record


def place_of(record: Record, facts: Facts) -> tuple[str, int]:
    """Where an HTTPS record leads: its host, empty for the origin's own, and its port."""
    own = record.target in (facts.target.host, facts.names.owner)
    return "" if own else record.target, record.port or facts.target.port


def quic_at(host: str, port: int, facts: Facts) -> Quic | None:
    """What answered there; None if it was not asked."""
    if host in ("", facts.target.host) and port == facts.target.port:
        return facts.main.quic
    own = "" if host == facts.target.host else host
    return next((each.quic for each in facts.elsewhere if (each.host, each.port) == (own, port)), None)


def works(host: str, port: int, facts: Facts) -> bool | None:
    """Whether h3 answers there; None if that isn't known."""
    quic = quic_at(host, port, facts)
    if quic is None or quic.reached in UNASKED:
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
