"""Does something let only so much be on the way?"""

from statistics import median
from typing import NamedTuple

from pronghorn.analysis.numbers import percent, seconds, size
from pronghorn.fairness.line import rate_words
from pronghorn.traps import catalogue
from pronghorn.traps.compared import APART, flows, mostly, rate, round_trip_s, slower_s
from pronghorn.traps.facts import Facts, Flow, Visit
from pronghorn.traps.finding import Finding, Unknown
from pronghorn.traps.window import LEAST_ROUND_TRIPS, Window, window

_BUFFER = 64 * 1024
"""nginx's http3_stream_buffer_size and its windows, as shipped."""

_NEAR = (0.85, 1.15)
"""How near to a window what came in a round trip has to be: headers and the look's ends are within it."""

_STEADY = 0.7
"""A window gives the same in every round trip; a congestion window that grows or shrinks does not."""

_SAME = (0.95, 1.05)
"""The second half of a response over the first: Reno's window grows by a packet in each round trip, which
over 64 kB is a fifth in ten."""

_IDLE = 0.35
"""Of the time nothing comes where a window holds the sender. A narrow path is always busy; below this, a
window costs less than a third of the transfer."""

_MOST_LOSS = 0.01
"""Of the packets: where more are lost, the congestion window or a filter bounds what comes, whatever it
is."""

_PAUSES = (0.8, 1.6)
"""In a round trip: a window makes one, as long as its packets come together. An application that writes bit
by bit makes any number."""

_LEAST_BYTES = (LEAST_ROUND_TRIPS + 3) * _BUFFER


class _Seen(NamedTuple):
    visit: Visit
    flow: Flow
    window: Window


def stream_buffer(facts: Facts) -> Finding | Unknown | None:
    """In every round trip 64 kB came of a response, then nothing until the next; over h2 the same response
    came faster. Not where the client's own window is as large."""
    held = _held(facts)
    if not held:
        return _by_rates(facts)
    slow, fast = rate(facts, "h3"), rate(facts, "h2")
    if slow is not None and fast is not None and fast < APART * slow:
        return None  # The content comes so, over either.
    if not mostly(_near(one.window.bytes, _BUFFER) and one.window.holds != "connection" for one in held):
        return None
    if any(_own(one) for one in held) or _blocked(held):
        return None
    return Finding(catalogue.STREAM_BUFFER, _said(held), slower_s(facts))


def flow_control(facts: Facts) -> Finding | Unknown | None:
    """The same with a window that is the client's: the server said so, or it is as large as the client's."""
    held = _held(facts)
    # What the server says and what came agree: then it may also be cut up by updates of the window.
    stopped = [one for one in _all(facts) if one.flow.blocked and (one in held or _is_own(one))]
    if stopped and len(stopped) * 3 >= len(_all(facts)) * 2:
        said = f"{_said(stopped)} The server said that the client's window kept it from sending."
        return Finding(catalogue.FLOW_CONTROL, said, slower_s(facts))
    if not held:
        return None
    own = [_own(one) for one in held]
    if mostly(one is not None for one in own):
        largest = max(one for one in own if one is not None)
        return Finding(
            catalogue.FLOW_CONTROL, f"{_said(held)} The client's window is {size(largest)}.", slower_s(facts)
        )
    return None


def fixed_window(facts: Facts) -> Finding | Unknown | None:
    """The same with any other window: the connection's, or the server's for a response. Without pauses it
    could be a narrower way over UDP as well."""
    slow, fast = rate(facts, "h3"), rate(facts, "h2")
    seen = _all(facts)
    if not seen or slow is None or fast is None or fast < APART * slow or not slower_s(facts):
        return None
    if isinstance(stream_buffer(facts), Finding) or isinstance(flow_control(facts), Finding):
        return None
    held = [one for one in _held(facts) if one.window.pauses <= _PAUSES[1]]
    if held and len(held) * 3 >= len(seen) * 2:
        return Finding(
            catalogue.FIXED_WINDOW, f"{_said(held)} h2 came at {rate_words(fast)}.", slower_s(facts)
        )
    flat = [one for one in seen if one.window.idle < _IDLE and _is_flat(one)]
    if len(flat) * 3 < len(seen) * 2:
        return None
    why = f"{rate_words(slow)} came over h3, always, and {rate_words(fast)} over h2"
    return Unknown(
        catalogue.FIXED_WINDOW,
        f"{why}: a sender that spaces out a fixed window, or a way of that rate over UDP",
    )


def _own(one: _Seen) -> int | None:
    """The client's window that is as large as what came: a stream's, or the connection's."""
    stream, whole = one.flow.windows
    fits = [stream] if one.window.holds == "response" else [whole]
    if one.window.holds == "either":
        fits = [stream, whole]
    return next((own for own in fits if own and _near(one.window.bytes, own)), None)


def _is_own(one: _Seen) -> bool:
    return _own(one) is not None and one.window.steady >= _STEADY


def _is_flat(one: _Seen) -> bool:
    """Whether each round trip brought the same, though hardly anything was lost."""
    if not (one.window.steady >= _STEADY and _SAME[0] <= one.window.growth <= _SAME[1]):
        return False
    return one.flow.loss is None or one.flow.loss <= _MOST_LOSS


def _all(facts: Facts) -> list[_Seen]:
    found = [(visit, flow, window(visit)) for visit, flow in flows(facts)]
    return [_Seen(visit, flow, one) for visit, flow, one in found if one is not None]


def _held(facts: Facts) -> list[_Seen]:
    """The visits whose sender stood still again and again, though hardly anything was lost; none where most
    did not."""
    seen = _all(facts)
    held = [
        one for one in seen if one.window.idle >= _IDLE and one.window.pauses >= _PAUSES[0] and _is_flat(one)
    ]
    return held if len(held) * 3 >= len(seen) * 2 else []


def _by_rates(facts: Facts) -> Finding | Unknown | None:
    """Of a file without packets: the large responses' rates over h3 are what 64 kB a round trip give, each
    of them, and h2's are higher."""
    if flows(facts):
        return None
    trip_s = round_trip_s(facts, "h3") or round_trip_s(facts, "h2")
    large = [
        one.bytes / (one.last_byte_s - one.first_byte_s)
        for visit in facts.of("h3")
        for one in visit.page.resources
        if one.bytes >= _LEAST_BYTES and one.first_byte_s is not None and one.last_byte_s is not None
        if one.last_byte_s > one.first_byte_s
    ]
    fast = rate(facts, "h2")
    if len(large) < 2 or fast is None or fast < APART * max(large):
        return None
    if trip_s is None:
        return Unknown(catalogue.STREAM_BUFFER, "h3 is slower on large responses; no round trip is known")
    if not all(_near(one * trip_s, _BUFFER * 0.95) for one in large):
        return None
    each = size(median(large) * trip_s)
    return Finding(
        catalogue.STREAM_BUFFER,
        f"{len(large)} large responses came at {each} a round trip of {seconds(trip_s)}; h2's were faster.",
        slower_s(facts),
    )


def _blocked(seen: list[_Seen]) -> bool:
    return mostly(one.flow.blocked is True for one in seen)


def _near(value: float, wanted: float) -> bool:
    return _NEAR[0] * wanted <= value <= _NEAR[1] * wanted


def _said(held: list[_Seen]) -> str:
    each = size(median(one.window.bytes for one in held))
    trip_s = median(one.flow.round_trip_s or 0.0 for one in held)
    idle = percent(round(median(one.window.idle for one in held), 2))
    of = " of each response" if mostly(one.window.holds == "response" for one in held) else ""
    return f"{each}{of} came in each round trip of {seconds(trip_s)}, and nothing in {idle} of the time."
