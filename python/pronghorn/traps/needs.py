"""Which facts a trap needs to be judged at all: that none fits is no news of one that nobody could see."""

from collections.abc import Callable

from pronghorn.traps import catalogue
from pronghorn.traps.catalogue import Trap
from pronghorn.traps.compared import flows
from pronghorn.traps.facts import Facts

Need = Callable[[Facts], str | None]
"""What is missing, as a clause; None where all is there."""


def missing(facts: Facts, trap: Trap) -> str | None:
    """What a trap lacks, if anything."""
    return next((why for need in _NEEDS[trap.name] if (why := need(facts))), None)


def _offer(facts: Facts) -> str | None:
    return None if facts.offer is not None else "what the server offers isn't known"


def _way(facts: Facts) -> str | None:
    return None if facts.offer is not None and facts.offer.hops else "the way to the page isn't known"


def _addresses(facts: Facts) -> str | None:
    tried = any(one.tcp is not None for one in facts.addresses)
    return None if tried else "no address was tried"


def _h3(facts: Facts) -> str | None:
    return None if facts.of("h3") else "no load over h3 can be used"


def _both(facts: Facts) -> str | None:
    return _h3(facts) or (None if facts.of("h2") else "no load over h2 can be used")


def _either(facts: Facts) -> str | None:
    loads = [*facts.of("h2"), *facts.of("h3")]
    told = any(one.round_trip_s and one.page.resources for one in loads)
    return None if told else "no answer's begin is known, or no round trip"


def _packets(facts: Facts) -> str | None:
    told = any(flow.round_trip_s and len(flow.arrived_s) for _, flow in flows(facts))
    return None if told else "no packets over h3 with a round trip are known"


def _losses(facts: Facts) -> str | None:
    told = any(flow.loss is not None for _, flow in flows(facts))
    return _packets(facts) or (None if told else "losses over h3 are not known")


def _losses_of_tcp(facts: Facts) -> str | None:
    if not any(flow.lost for _, flow in flows(facts)):
        return None  # nothing to compare
    told = any(one.disordered is not None or one.resent is not None for one in facts.of("h2"))
    return None if told else "losses over h2 are not known"


def _reached(facts: Facts) -> str | None:
    if any(one.shook for one in facts.tried("h3")):
        return None
    return None if facts.offer is not None and facts.offer.sizes else "no datagram was answered or tried"


def _handshakes(facts: Facts) -> str | None:
    told = any(flow.handshake is not None and flow.handshake.took_s is not None for _, flow in flows(facts))
    return _packets(facts) or (None if told else "no handshake over h3 is known")


def _retries(facts: Facts) -> str | None:
    told = [flow.handshake for _, flow in flows(facts) if flow.handshake is not None]
    return None if any(one.retry or one.answer_s for one in told) else "no packets of a handshake are known"


def _tickets(facts: Facts) -> str | None:
    return None if facts.tickets is not None else "no second connection was tried"


def _urgencies(facts: Facts) -> str | None:
    loads = [*facts.of("h2"), *facts.of("h3")]
    told = all(any(one.urgency is not None for one in load.page.resources) for load in loads)
    return _both(facts) or (None if told else "requests' priorities are not known")


def _window(facts: Facts) -> str | None:
    """Of files without packets, 64 kB a round trip are seen by rates."""
    return None if not _packets(facts) or (not flows(facts) and not _both(facts)) else _packets(facts)


_NEEDS: dict[str, tuple[Need, ...]] = {
    catalogue.OFFER_DEAD.name: (_offer,),
    catalogue.NOT_OFFERED.name: (_offer,),
    catalogue.REDIRECT.name: (_way,),
    catalogue.DEAD_ADDRESS.name: (_addresses,),
    catalogue.MTU.name: (_reached,),
    catalogue.STREAM_BUFFER.name: (_h3, _window),
    catalogue.FIXED_WINDOW.name: (_both, _packets),
    catalogue.FLOW_CONTROL.name: (_h3, _packets),
    catalogue.POLICED.name: (_both, _losses, _losses_of_tcp),
    catalogue.BURST_LOSS.name: (_both, _losses, _losses_of_tcp),
    catalogue.CONGESTION.name: (_both, _losses, _losses_of_tcp),
    catalogue.PRIORITIES.name: (_urgencies,),
    catalogue.AMPLIFICATION.name: (_h3, _handshakes),
    catalogue.RETRY.name: (_h3, _retries),
    catalogue.NO_TICKETS.name: (_tickets,),
    catalogue.SLOW_SERVER.name: (_either,),
}
