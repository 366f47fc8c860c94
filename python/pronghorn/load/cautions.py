"""What a person ought to know before trusting a load's numbers, each with what to do about it."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pronghorn.environment import CLOCK
from pronghorn.load import figures
from pronghorn.load.spec import LoadSpec
from pronghorn.model.load_report import LoadReport

_BUSY = 0.9
"""The share of its threads' time from which on the generator may be the limit."""
_LEAST_LAG_S = 1e-3
_SHORT_WINDOW_S = 1.0
_ANSWERED = 0.95
_CROWDED = 0.8


_BOUNDS = {
    "h1": "HTTP/1.1 has none",
    "h2": "SETTINGS_MAX_CONCURRENT_STREAMS; in nginx http2_max_concurrent_streams",
    "h3": "initial_max_streams_bidi; in nginx http3_max_concurrent_streams",
}
"""How servers limit the requests of a connection."""


class Caution(NamedTuple):
    """`code` is for programs, `text` says what is so, `remedy` what to do."""

    code: str
    text: str
    remedy: str


def cautions(spec: LoadSpec, report: LoadReport, *, interrupted: bool) -> list[Caution]:
    """All that hold of a load."""
    found: list[Caution] = []
    for examine in (_standing, _generator, _open_loop, _connections, _answers):
        found.extend(examine(spec, report))
    if interrupted:
        text = "the load was interrupted; requests in flight count as failed by 'cut'."
        found.append(
            Caution("interrupted", text, "The counts are correct. The rate is that of the time until then.")
        )
    else:
        found.extend(_extent(spec, report))
    return found


def hidden_stalls(asked: Sequence[str]) -> list[Caution]:
    """Of checks that ask times of a closed loop, where there are any."""
    if not asked:
        return []
    text = (
        f"{' and '.join(asked)}: a closed loop sends nothing while the server stalls, so it hides most "
        "of the time that users would have waited."
    )
    remedy = "Use an open loop (--rate R): its latency counts from when each request was due."
    return [Caution("coordinated_omission", text, remedy)]


def _standing(_spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    if report.stood_still_s:
        yield Caution(
            "generator_stopped",
            f"the generator itself stood still for {figures.duration(report.stood_still_s)}: it was stopped, "
            "or had no CPU. Latencies and rates include that, and say nothing about the server.",
            "Repeat the load.",
        )


def _generator(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    if os.environ.get(CLOCK) == "virtual":
        yield Caution(
            "virtual_time",
            "computing takes no time here: rates are those of an infinitely fast host, and CPU times "
            "mean nothing.",
            "Measure rates and CPU times in real time.",
        )
        return
    available = spec.threads * report.window_s
    if available > 0 and report.cpu_s.total >= _BUSY * available:
        yield Caution(
            "generator_saturated",
            f"the generator used {figures.duration(report.cpu_s.total)} of CPU in {spec.threads} × "
            f"{figures.duration(report.window_s)}. The generator, not the server, may be the limit.",
            "Use more threads (-t) if cores are free, or run the generator on its own host.",
        )


def _open_loop(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    if spec.arrivals is None:
        return
    lag, total = report.latency_seconds.lag, report.latency_seconds.total
    if lag is not None and total is not None and lag.p99 > max(_LEAST_LAG_S, 0.1 * total.p50):
        yield Caution(
            "generator_late",
            f"the generator itself sent requests late, by {figures.duration(lag.p99)} at p99; latencies "
            "include that.",
            "Lower --rate, or use more threads (-t) if cores are free.",
        )
    asked = spec.arrivals.rate_per_s
    if spec.arrivals.steps:
        # Of several rates the mean is what counts, and what is in flight shows no more than that.
        asked = report.requests.planned / report.window_s if report.window_s else 0.0
    if not spec.ramp_s and report.finished and report.requests_per_second < _ANSWERED * asked:
        yield Caution(
            "rate_not_reached",
            f"{figures.digits(asked)}/s were due and {figures.digits(report.requests_per_second)}/s "
            "succeeded.",
            "The failures have the reason. Without failures, the window includes the first connections' "
            "handshakes (--warm-up), or the server was slower than the rate.",
        )
    room = spec.connections * spec.streams
    if total is not None and total.mean * asked >= _CROWDED * room:
        yield Caution(
            "connections_full",
            f"by Little's law {figures.digits(total.mean * asked)} requests were in flight at once, and "
            f"the connections had room for {room}. Latencies include the wait for a free slot.",
            "To avoid it, use more connections (-c) or streams (-m).",
        )


def _connections(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    made = report.connections
    if made.refused_here:
        refusal, _, mend = (report.own_refusal or "").partition("; ")
        yield Caution(
            "host_refused",
            f"this host itself refused {figures.grouped(made.refused_here)} of "
            f"{figures.grouped(made.attempted)} connections, which says nothing about the server: "
            f"{refusal}.",
            f"{mend[:1].upper()}{mend[1:]}." if mend else "Use fewer connections (-c).",
        )
    if report.server_drops:
        yield Caution(
            "server_drops",
            f"the server's socket dropped {figures.grouped(report.server_drops)} datagrams because its "
            "receive buffer was full. QUIC sent them again, later.",
            "Use fewer connections or streams (-c, -m), or raise the server's receive buffer "
            "(sysctl net.core.rmem_default, net.core.rmem_max).",
        )
    allowed = made.streams_allowed
    if allowed is not None and allowed < spec.streams and not _asks_for_few(spec, allowed):
        most = min(made.most_under_way or allowed, allowed)
        yield Caution(
            "streams_not_reached",
            f"-m asks for {figures.grouped(spec.streams)} concurrent requests on a connection, but at "
            f"most {figures.grouped(most)} {'was' if most == 1 else 'were'} in flight: the server allows "
            f"no more than {figures.grouped(allowed)}.",
            f"Open more connections (-c), or raise the server's limit ({_BOUNDS[spec.protocol]}).",
        )
    if spec.connect == "keep" and made.established > spec.connections:
        yield Caution(
            "connections_replaced",
            f"{figures.grouped(made.established - spec.connections)} connections were replaced during "
            f"the load ({figures.grouped(made.closed_by_peer)} closed by the server). The figures "
            "include their handshakes.",
            "Servers close connections after a number of requests or a time: nginx after "
            "keepalive_requests (1000).",
        )
    if spec.session != "cold" and made.resumed < made.established:
        yield Caution(
            "not_resumed",
            f"{made.established - made.resumed} of {made.established} connections were not resumed.",
            "The server issues or accepts no tickets, or connections ended before their tickets arrived "
            "(--connect each with --0rtt).",
        )
    if spec.session == "0rtt" and made.early_data_accepted < made.established:
        yield Caution(
            "early_data_rejected",
            f"the server accepted the early data of {made.early_data_accepted} of {made.established} "
            "connections.",
            "Requests were sent again after the handshake. Check the server's 0-RTT setting "
            "(ssl_early_data).",
        )
    ran = report.congestion_control
    transport = spec.congestion_control
    asked = transport.quic if spec.protocol == "h3" else transport.tcp
    if ran is not None and asked is not None and ran != asked:
        yield Caution(
            "congestion_control",
            f"{asked} was requested, but the connections ran {ran}.",
            "A route may enforce another one (ip route, congctl). Request that one, or change the route.",
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
            f"{figures.grouped(redirects)} responses are redirects or 304. They count as succeeded and "
            "are not followed.",
            "Load the URL that they point to.",
        )


def _extent(spec: LoadSpec, report: LoadReport) -> Iterator[Caution]:
    unsent = f"{figures.grouped(report.requests.unsent)} requests were never sent."
    gave_up = bool({*report.connections.failed} - {"cut"}) and not report.requests.failed.get("cut")
    if not report.finished and spec.limit_s is not None and not gave_up:
        limit = figures.duration(spec.limit_s)
        text = f"the load did not finish within its limit of {limit}: {unsent}"
        yield Caution("cut", text, "Raise --limit, or request less.")
    elif not report.finished and report.requests.sent:
        yield Caution(
            "cut",
            f"the load did not finish: {unsent}",
            "No more connections could be made, or requests in flight at the end of -d did not end "
            "within 5 s.",
        )
    elif report.requests.succeeded and report.window_s < _SHORT_WINDOW_S:
        yield Caution(
            "short",
            f"the window is {figures.duration(report.window_s)}: rates over so short a time are mostly "
            "handshakes and chance.",
            "Load longer (-n, -d), after a --warm-up.",
        )
