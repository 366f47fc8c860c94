"""Quantiles of an arm's times for drawings, failed trials among them."""

import math
from collections.abc import Sequence


def ranked(times: Sequence[float | None], share: float) -> float | None:
    """The smallest time that at least `share` of the trials do not exceed (nearest rank, Hyndman & Fan 1996,
    type 1); a failed trial (None) is slower than all others. None where that is a failed one, or of
    nothing."""
    ordered = sorted(math.inf if time is None else time for time in times)
    if not ordered:
        return None
    found = ordered[max(1, math.ceil(round(share * len(ordered), 9))) - 1]
    return found if math.isfinite(found) else None
