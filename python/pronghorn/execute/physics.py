"""The bounds that no load can beat. A trial that does shows a fault of the instrument, never a fast
protocol."""

from pronghorn.execute.guard import Fault
from pronghorn.model.path import PathProfile
from pronghorn.model.trial import Counters, PageLoad

REASON = "physics"

_ROUNDING_S = 1e-6
"""Times of a microsecond's difference are equal: they come from sums of floats."""

_TRACE_STEP_S = 0.001
"""The resolution of a Mahimahi trace."""


def violation(page: PageLoad, counters: Counters, path: PathProfile) -> Fault | None:
    """How a successful load was faster than its path allows, or None.

    It lasts at least as long as the link down needs for its bytes at its fastest, and at least the round
    trips it needs, each as long as the smallest delays that the path imposed on any packet of this very
    trial: packets that skip the delay (reordering), or a schedule that shortens it, lower that bound."""
    if page.outcome != "ok" or page.load_s is None or path.spec is None:
        return None

    rate = path.down_figures.max_rate_bit_per_s
    fastest = fastest_s(page.bytes, path)
    if rate is not None and page.load_s < fastest - _ROUNDING_S:
        return Fault(
            REASON,
            f"{page.bytes} bytes in {page.load_s:.6f} s, but {rate:.0f} bit/s allow no less than "
            f"{fastest:.6f} s",
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


def fastest_s(size: int, path: PathProfile) -> float:
    """The least time in seconds in which the link down can carry `size` bytes of bodies; zero where nothing
    limits it.

    A trace's fastest millisecond may stand at both ends of the load, so one more than the load lasts. An
    overhead below zero makes packets shorter than their bodies: no bound then."""
    rate = path.down_figures.max_rate_bit_per_s
    if rate is None or path.spec is None:
        return 0.0
    overhead = path.spec.down.overhead
    if overhead is not None and overhead.packet_bytes < 0:
        return 0.0
    granule_s = _TRACE_STEP_S if path.spec.down.trace is not None else 0.0
    return max(0.0, size * 8 / rate - granule_s)
