"""What a person ought to know before trusting a load's numbers, each with what to do about it."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pronghorn.environment import CLOCK
from pronghorn.load import figures
from pronghorn.load.spec import LoadSpec
from pronghorn.model.load_report import LoadReport

_BUSY = 0.9
"""Share of its threads' time from which on the generator may be the limit."""
_LEAST_LAG_S = 1e-3
_SHORT_WINDOW_S = 1.0
_ANSWERED = 0.95
_CROWDED = 0.8


_BOUNDS = {
    "h1": "of HTTP/1.1 there is none",
    "h2": "SETTINGS_MAX_CONCURRENT_STREAMS; of nginx http2_max_concurrent_streams",
    "h3": "initial_max_streams_bidi; of nginx http3_max_concurrent_streams",
}
"""By what servers bound the requests of a connection."""


class Caution(NamedTuple):
    """`code` is for programs, `text` says what is so, `remedy` what to do."""

    code: str
    text: str
    remedy: str


def cautions(spec: LoadSpec, report: LoadReport, *, interrupted: bool) -> list[Caution]:
    """All that hold of a load."""
    found: list[Caution] = []
    for examine in (_generator, _open_loop, _connections, _answers):
        found.extend(examine(spec, report))
    if interrupted:
        text = "the load was interrupted; what was in flight counts as failed by 'cut'."
        found.append(Caution("interrupted", text, "Its counts hold, its rate is of the time it had."))
    else:
        found.extend(_extent(spec, report))
    return found


def hidden_stalls(asked: Sequence[str]) -> list[Caution]:
    """Of checks that ask times of a closed loop, where there are any."""
    if not asked:
        return []
    text = (
        f"{' and '.join(asked)}: a closed loop sends nothing while the server stalls, and so hides most of "
        "what users would have waited."
    )
    remedy = "Ask it of an open loop (--rate R), whose latency counts from when each request was due."
    return [Caution("coordinated_omission", text, remedy)]


def _generator(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    if os.environ.get(CLOCK) == "virtual":
        yield Caution(
            "virtual_time",
            "computing takes no time here: rates are those of an endlessly fast host, and CPU times mean "
            "nothing.",
            "Compare rates and CPU times in real time.",
        )
        return
    available = spec.threads * report.window_s
    if available > 0 and report.cpu_s.total >= _BUSY * available:
        yield Caution(
            "generator_saturated",
            f"the generator used {figures.duration(report.cpu_s.total)} of CPU in {spec.threads} × "
            f"{figures.duration(report.window_s)}: the generator, not the server, may be the limit.",
            "Give it more threads (-t) where cores are free, or a host of its own.",
        )


def _open_loop(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    if spec.arrivals is None:
        return
    lag, total = report.latency_seconds.lag, report.latency_seconds.total
    if lag is not None and total is not None and lag.p99 > max(_LEAST_LAG_S, 0.1 * total.p50):
        yield Caution(
            "generator_late",
            f"the generator itself was late at its requests, {figures.duration(lag.p99)} at p99; latencies "
            "contain that.",
            "Lower --rate, or give it more threads (-t) where cores are free.",
        )
    asked = spec.arrivals.rate_per_s
    if not spec.ramp_s and report.finished and report.requests_per_second < _ANSWERED * asked:
        yield Caution(
            "rate_not_reached",
            f"{figures.digits(asked)}/s were due and {figures.digits(report.requests_per_second)}/s "
            "succeeded.",
            "The failures tell why; without any, the window holds the first connections' handshakes "
            "(--warm-up), or the server was slower than the rate.",
        )
    room = spec.connections * spec.streams
    if total is not None and total.mean * asked >= _CROWDED * room:
        yield Caution(
            "connections_full",
            f"by Little's law {figures.digits(total.mean * asked)} requests were under way at once, of "
            f"{room} for which the connections had room: latencies contain the waiting for one.",
            "Where that isn't meant: more connections (-c) or streams (-m).",
        )


def _connections(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    made = report.connections
    if made.refused_here:
        refusal, _, mend = (report.own_refusal or "").partition("; ")
        yield Caution(
            "host_refused",
            f"{figures.grouped(made.refused_here)} of {figures.grouped(made.attempted)} connections were "
            f"refused by this host itself, which says nothing of the server: {refusal}.",
            f"{mend[:1].upper()}{mend[1:]}." if mend else "Use fewer connections (-c).",
        )
    allowed = made.streams_allowed
    if allowed is not None and allowed < spec.streams and not _asks_for_few(spec, allowed):
        most = min(made.most_under_way or allowed, allowed)
        yield Caution(
            "streams_not_reached",
            f"{figures.grouped(spec.streams)} requests at a time on a connection were asked for (-m), and at "
            f"most {figures.grouped(most)} {'was' if most == 1 else 'were'} under way: the server allows no "
            f"more than {figures.grouped(allowed)}.",
            f"Open more connections (-c), or raise the server's bound ({_BOUNDS[spec.protocol]}).",
        )
    if spec.connect == "keep" and made.established > spec.connections:
        yield Caution(
            "connections_replaced",
            f"{figures.grouped(made.established - spec.connections)} connections were replaced in mid-load "
            f"({figures.grouped(made.closed_by_peer)} closed by the server); their handshakes are within the "
            "figures.",
            "Servers close after so many requests or so much time: nginx after keepalive_requests (1000).",
        )
    if spec.session != "cold" and made.resumed < made.established:
        yield Caution(
            "not_resumed",
            f"{made.established - made.resumed} of {made.established} connections were not resumed.",
            "The server gives no tickets or takes none, or connections ended before theirs came (--connect "
            "each with --0rtt).",
        )
    if spec.session == "0rtt" and made.early_data_accepted < made.established:
        yield Caution(
            "early_data_rejected",
            f"the server took the early data of {made.early_data_accepted} of {made.established} "
            "connections.",
            "Requests were sent again after the handshake; look at the server's 0-RTT (ssl_early_data).",
        )
    ran = report.congestion_control
    transport = spec.congestion_control
    asked = transport.quic if spec.protocol == "h3" else transport.tcp
    if ran is not None and asked is not None and ran != asked:
        yield Caution(
            "congestion_control",
            f"{asked} was asked for, and the connections ran {ran}.",
            "A route may lock another one (ip route, congctl); ask for that, or change the route.",
        )


def _asks_for_few(spec: LoadSpec, allowed: int) -> bool:
    """Whether no connection has more requests to send than the server allows at a time."""
    requests = spec.stop.requests
    return requests is not None and spec.arrivals is None and requests <= allowed * spec.connections


def _answers(_spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    redirects = sum(number for status, number in report.requests.statuses.items() if status.startswith("3"))
    if redirects:
        yield Caution(
            "redirects",
            f"{figures.grouped(redirects)} responses are redirects or 304, which count as succeeded and are "
            "not followed.",
            "Load the URL that they lead to.",
        )


def _extent(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    unsent = f"{figures.grouped(report.requests.unsent)} requests were never sent."
    gave_up = bool({*report.connections.failed} - {"cut"}) and not report.requests.failed.get("cut")
    if not report.finished and spec.limit_s is not None and not gave_up:
        limit = figures.duration(spec.limit_s)
        text = f"the load did not finish within its limit of {limit}: {unsent}"
        yield Caution("cut", text, "Raise --limit, or ask for less.")
    elif not report.finished and report.requests.sent:
        yield Caution(
            "cut",
            f"the load did not finish: {unsent}",
            "Connections couldn't be made any more, or what was under way at the end of -d did not end "
            "within 5 s.",
        )
    elif report.requests.succeeded and report.window_s < _SHORT_WINDOW_S:
        yield Caution(
            "short",
            f"the window is {figures.duration(report.window_s)}: rates of so short a time are mostly "
            "handshakes and chance.",
            "Load longer (-n, -d), after a --warm-up.",
        )
