"""Is HTTP/3 offered, does it answer where it is, and at every address?"""

from pronghorn.analysis.numbers import listed
from pronghorn.traps import catalogue
from pronghorn.traps.compared import slower_s
from pronghorn.traps.facts import Facts, offers_h3
from pronghorn.traps.finding import Finding, Unknown

_ERROR = 400
"""The least status of an error: nginx's add_header leaves its header out there."""


def not_offered(facts: Facts) -> Finding | Unknown | None:
    """Without an offer no browser tries: certain where both ways of it are known to be empty, in a response
    that is no error. Of a file that
    knows no DNS, and shows h3, there was an offer."""
    offer = facts.offer
    if offer is None or offer.offered or (facts.of("h3") and offer.record is None and offer.alt_svc is None):
        return None
    if len({hop.host for hop in offer.hops}) > 1 and offers_h3(offer.hops[0].alt_svc):
        return None  # `redirect` has it
    if offer.offered is None:
        why = f"there is no Alt-Svc header; {offer.record_why or 'HTTPS records are not known'}"
        return Unknown(catalogue.NOT_OFFERED, why)
    if offer.hops and offer.hops[-1].status >= _ERROR:
        why = f"without Alt-Svc came an answer of status {offer.hops[-1].status}, which may not have it"
        return Unknown(catalogue.NOT_OFFERED, why)
    came = any(one.shook for one in facts.tried("h3"))
    serves = "whether a QUIC server answers isn't known"
    if offer.answers is not None or came:
        silent = not (offer.answers or came)
        serves = "nor does a QUIC server answer" if silent else "a QUIC server answers all the same"
    said = "the page's response over HTTP/1.1 has no Alt-Svc for h3, and there is no HTTPS record with h3"
    trap = catalogue.NOT_SERVED if offer.answers is False and not came else catalogue.NOT_OFFERED
    return Finding(trap, f"{said}; {serves}.", slower_s(facts, "h2") or None)


def offer_dead(facts: Facts) -> Finding | Unknown | None:
    """Certain where h3 is offered, no packet of several was answered there, and no handshake succeeded. A
    server that answers but with which no handshake succeeds may be anything."""
    offer = facts.offer
    if offer is None or not offer.offered or any(one.shook for one in facts.tried("h3")):
        return None
    if offer.answers is False and facts.tried("h3"):
        if offer.answers_at_url:
            url = offer.hops[-1].port
            return Finding(
                catalogue.WRONG_PORT,
                f"h3 is offered at port {offer.port}, where UDP is silent; at port {url} QUIC answers: the "
                "offer names the wrong port.",
            )
        return Finding(
            catalogue.OFFER_DEAD, f"UDP port {offer.port} is silent: no packet and no visit was answered."
        )
    if any(size > 1200 and not answered for size, answered in offer.sizes):
        return None  # `mtu` has it
    failed = next((one.page.detail or one.page.reason for one in facts.tried("h3")), None)
    why = f"HTTP/3 is offered; no handshake succeeded: {failed or 'h3 was not tried'}"
    return Unknown(catalogue.OFFER_DEAD, why)


def redirect(facts: Facts) -> Finding | Unknown | None:
    """The page is somewhere else, and there is no offer there while the first host makes one."""
    offer = facts.offer
    if offer is None or len({hop.host for hop in offer.hops}) < 2:
        return None
    first, last = offer.hops[0], offer.hops[-1]
    if not offers_h3(first.alt_svc) or offer.offered:
        return None
    if offer.offered is None:
        why = f"{last.host} sends no Alt-Svc; {offer.record_why or 'its HTTPS records are not known'}"
        return Unknown(catalogue.REDIRECT, why)
    serves = ", though a QUIC server answers there" if offer.answers else ""
    said = f"{first.host} offers h3 and redirects to {last.host}, which doesn't{serves}."
    return Finding(catalogue.REDIRECT, said)


def dead_address(facts: Facts) -> Finding | Unknown | None:
    """An address that took no connection in two tries, while another of its family did. Where a whole family
    is dead, this machine may have no way for it; one to which it knows that it has none says nothing."""
    dead = [one for one in facts.addresses if one.tcp is False]
    alive = [one for one in facts.addresses if one.tcp]
    deaf = [one for one in alive if one.udp is False] if any(one.udp for one in alive) else []
    if alive and dead:
        said = listed([one.text for one in dead])
        if not any((":" in one.text) == (":" in other.text) for one in dead for other in alive):
            why = f"{said} took no connection: dead, or this machine has no way for its family of addresses"
            return Unknown(catalogue.DEAD_ADDRESS, why)
        return Finding(catalogue.DEAD_ADDRESS, f"{said} took no connection; {alive[0].text} did.")
    if deaf:
        said = listed([one.text for one in deaf])
        return Finding(catalogue.DEAD_ADDRESS, f"{said}: UDP is silent there; TCP answers.")
    return None
