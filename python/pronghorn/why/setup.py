"""A connection's set-up, given to its parts."""

import numpy as np

from pronghorn.model.arrivals import DOWN
from pronghorn.model.why import Part
from pronghorn.why.ledger import Ledger
from pronghorn.why.spans import NONE, Spans, Times, span, spans
from pronghorn.why.wire import Wire


def divide(wire: Wire | None, from_s: float, to_s: float) -> dict[Part, float]:
    """The parts of the time from a connection's first packet until a request could go over it. Without a
    wire nobody knows of losses, which stay in the handshake."""
    ledger = Ledger(from_s, to_s)
    if wire is not None:
        dropped = np.flatnonzero(wire.missed & (wire.sent_s < to_s))
        repaired = [wire.repaired_s(int(one)) for one in dropped]
        until_s = np.array([np.nan if one is None else one for one in repaired], dtype=np.float64)
        known = ~np.isnan(until_s)
        ledger.enter("recovery", spans(wire.due_s(dropped[known]), until_s[known]))
        ledger.enter("recovery", _useless(wire, wire.due_s(dropped[known]), to_s))
        ledger.enter("bandwidth", wire.held)
    return ledger.close("handshake")


def _useless(wire: Wire, due_s: Times, to_s: float) -> Spans:
    """What came while a part before it was missing may be of no use, as QUIC's packets are without the keys
    of the part (RFC 9001 §5.7). Where the last packet of a set-up had been sent before, it is recovered from
    when the latest loss before it was felt."""
    down = wire.way(DOWN)
    there = down[wire.arrived_s[down] <= to_s]
    if not len(there):
        return NONE
    last = there[np.argmax(wire.arrived_s[there])]
    felt_s = due_s[due_s <= wire.sent_s[last]]
    if not wire.packets.again[last] or not len(felt_s):
        return NONE
    return span(float(felt_s.max()), float(wire.arrived_s[last]))
