"""What is known of h3 at a place that the host advertises."""

from pronghorn.check.facts import Facts, Quic, Record


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
    if quic is None or quic.reached == "unreachable":
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
            return "UDP is refused, since nothing listens there"
    return quic.detail or "the handshake fails"
