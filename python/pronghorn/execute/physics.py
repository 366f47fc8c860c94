"""The bounds that no load can beat. A trial that does shows a fault of the instrument, never a fast
protocol."""

from pronghorn.execute.guard import Fault
from pronghorn.model.path import PathProfile
from pronghorn.model.trial import Counters, PageLoad

REASON = "physics"

_ROUNDING_S = 1e-6
"""Times of a microsecond's difference are equal: they come from sums of floats."""


def violation(page: PageLoad, counters: Counters, path: PathProfile) -> Fault | None:
    """How a successful load was faster than its path allows, or None.

    It lasts at least its bytes over the rate down, and at least the round trips it needs, each as long as the
    smallest delays that the path imposed on any packet of this very trial."""
    if page.outcome != "ok" or page.load_s is None or path.spec is None:
        return None
    rate = path.spec.down.rate_bit_per_s
    if rate is not None and page.load_s < page.bytes * 8 / rate - _ROUNDING_S:
        return Fault(
            REASON,
            f"{page.bytes} bytes in {page.load_s:.6f} s, but {rate} bit/s allow no less than "
            f"{page.bytes * 8 / rate:.6f} s",
        )
    if counters.down is None or counters.up is None:
        return None
    down, up = counters.down.delay_min_s, counters.up.delay_min_s
    if down is None or up is None:
        return Fault(REASON, "a load succeeded without a packet having left each link")
    least = page.round_trips * (down + up)
    if page.load_s < least - _ROUNDING_S:
        return Fault(
            REASON,
            f"loaded in {page.load_s:.6f} s, but {page.round_trips:g} round trips take no less than "
            f"{least:.6f} s",
        )
    return None
