"""A connection's set-up, given to its parts."""

import numpy as np

from pronghorn.model.why import Part
from pronghorn.why.ledger import Ledger
from pronghorn.why.spans import spans
from pronghorn.why.wire import Wire


def divide(wire: Wire | None, from_s: float, to_s: float) -> dict[Part, float]:
    """The parts of the time from a connection's first packet until a request could go over it. Without a
    wire nobody knows of losses, which stay in the handshake."""
    ledger = Ledger(from_s, to_s)
    if wire is not None:
        dropped = np.flatnonzero(~wire.delivered & (wire.sent_s < to_s))
        repaired = [wire.repaired_s(int(one)) for one in dropped]
        until_s = np.array([np.nan if one is None else one for one in repaired], dtype=np.float64)
        known = ~np.isnan(until_s)
        ledger.enter("recovery", spans(wire.due_s(dropped[known]), until_s[known]))
        ledger.enter("bandwidth", wire.held)
    return ledger.close("handshake")
