"""The bounds that no load can beat. A trial that does shows a fault of the instrument, never a fast
protocol."""

import math

from pronghorn.model.load_report import LoadReport
from pronghorn.model.path import LinkFigures, LinkSpec, PathProfile
from pronghorn.model.trial import Counters, PageLoad
from pronghorn.trust.guard import Fault

REASON = "physics"

_ROUNDING_S = 1e-6
"""Times of a microsecond's difference are equal: they come from sums of floats."""

_HISTOGRAM_SHARE = 0.002
"""What a figure of a load's histograms, of three digits, may be off by."""

_TRACE_STEP_S = 0.001
"""The resolution of a Mahimahi trace."""


def violation(page: PageLoad, counters: Counters, path: PathProfile) -> Fault | None:
    """How a successful load was faster than its path allows, or None.

    It lasts at least as long as the link down needs for its bytes at its fastest, and at least the round
    trips it needs, each as long as the smallest delays that the path imposed on any packet of this very
    trial: packets that skip the delay (reordering), or a schedule that shortens it, lower that bound."""
    if page.outcome != "ok" or page.load_s is None or path.spec is None:
        return None

    carried = _until_loaded(page) if page.report is None else page.report.payload_in_window
    fastest = fastest_s(carried, path)
    if page.load_s < fastest - _ROUNDING_S:
        rate = carried * 8 / page.load_s if page.load_s > 0 else float("inf")
        return Fault(
            REASON,
            f"{carried} bytes in {page.load_s:.6f} s, which is {rate:.0f} bit/s, but the path allows no "
            f"less than {fastest:.6f} s",
        )
    if counters.down is None or counters.up is None:
        return None
    down, up = counters.down.delay_min_s, counters.up.delay_min_s
    if down is None or up is None:
        return Fault(REASON, "a load succeeded without a packet having left each link")
    if page.report is not None and (quick := _too_quick(page.report, down + up)) is not None:
        return quick
    least = page.round_trips * (down + up) - page.ahead_s
    if page.load_s < least - _ROUNDING_S:
        return Fault(
            REASON,
            f"loaded in {page.load_s:.6f} s, but {page.round_trips:g} round trips take no less than "
            f"{least:.6f} s",
        )
    return None


def _until_loaded(page: PageLoad) -> int:
    """The bytes of bodies that had come at the load's end: a page may ask for more after its load event."""
    assert page.load_s is not None
    loaded_s = page.load_s
    after = (one for one in page.resources if one.last_byte_s is not None and one.last_byte_s > loaded_s)
    return page.bytes - sum(one.bytes for one in after if not one.from_cache)


def _too_quick(report: LoadReport, round_trip_s: float) -> Fault | None:
    """A load's fastest request, which took a round trip at least."""
    total = report.latency_seconds.total
    if total is None or total.min >= round_trip_s * (1 - _HISTOGRAM_SHARE) - _ROUNDING_S:
        return None
    return Fault(
        REASON,
        f"a request was answered in {total.min:.6f} s, but a round trip takes no less than "
        f"{round_trip_s:.6f} s",
    )


def fastest_s(size: int, path: PathProfile) -> float:
    """The least time in seconds in which the link down can carry `size` bytes of bodies; zero where nothing
    limits it. Over a path with a handover it is the faster one's, whenever the client moves.

    A trace's fastest millisecond may stand at both ends of the load, so one more than the load lasts. An
    overhead below zero makes packets shorter than their bodies: no bound then."""
    if path.spec is None:
        return 0.0
    ways = [(one.down_figures, one.spec.down) for one in path.stretches if one.spec is not None]
    rates = [_most_bit_per_s(figures, link) for figures, link in ways]
    granules_s = sum(_TRACE_STEP_S for _, link in ways if link.trace is not None)
    return max(0.0, size * 8 / max(rates) - granules_s)


def _most_bit_per_s(figures: LinkFigures, link: LinkSpec) -> float:
    """The most bits of bodies a second that a link carries; infinite where nothing bounds them."""
    unbound = link.overhead is not None and link.overhead.packet_bytes < 0
    rate = figures.max_rate_bit_per_s
    return math.inf if rate is None or unbound else rate
