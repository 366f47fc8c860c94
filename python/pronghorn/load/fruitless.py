"""Why nothing succeeded, and what to do about it."""

from pronghorn.errors import HostError, NothingMeasured, PronghornError
from pronghorn.foreign import line
from pronghorn.load import figures, tls_hints
from pronghorn.model.load_report import LoadReport

_OF_CONNECTIONS = {
    "refused": "Nothing listens there. Check the port (HTTP/3's is a UDP port).",
    "unreachable": "No route leads there. Check the address.",
    "timeout": "Nothing answers. Check the address, firewalls, and which protocols the server speaks.",
    "cut": "Nothing had answered by then. Raise --limit or -d.",
    "alpn": "The server doesn't offer this version of HTTP. --http chooses another.",
    "congestion_control": "The host doesn't allow it: sysctl net.ipv4.tcp_allowed_congestion_control.",
}
_OF_REQUESTS = {
    "status": "The server answers with errors. Check the URL and the headers.",
    "grpc": "The service refuses the calls. Check the path, -H 'content-type: application/grpc' and the "
    "message of --data.",
    "head": "The server takes no head of this size. Send less (-H, the URL), or raise its limit "
    "(large_client_header_buffers in nginx).",
    "early": "The server answers before it has read the body. Load a URL that takes one.",
    "timeout": "Raise --timeout.",
    "cut": "Raise --limit or -d.",
}


def of_this_host(report: LoadReport) -> HostError:
    """The error for a load that this host itself decided, by its limits or by standing still."""
    if not report.is_of_this_host:
        return HostError(
            f"the generator itself stood still for {figures.duration(report.stood_still_s)}, which says "
            "nothing about the server: it was stopped, or had no CPU.",
            hint="Repeat the load.",
        )
    made = report.connections
    refusal, _, mend = (report.own_refusal or "").partition("; ")
    return HostError(
        f"this host itself refused {made.refused_here} of {made.attempted} connections, which says "
        f"nothing about the server: {refusal}.",
        hint=f"{mend[:1].upper()}{mend[1:]}." if mend else None,
    )


def error(report: LoadReport) -> PronghornError:
    """The error for a load of which no request succeeded: nothing was measured, or the host can't, where it
    refused the connections itself."""
    if report.is_of_this_host:
        return of_this_host(report)
    failed = report.requests.failed
    counted = failed if any(failed.values()) else report.connections.failed
    kinds = _most(counted)
    hint = _hint(failed, _OF_REQUESTS) or _of_connections(report)
    told = (failure.detail for failure in report.failures if failure.kind == _commonest(counted))
    detail = next((f": {line(one).rstrip('.')}" for one in told), "")
    said = f"no request succeeded{f' ({kinds})' if kinds else ''}{detail}."
    return NothingMeasured(said, hint=hint)


def _of_connections(report: LoadReport) -> str | None:
    if _commonest(report.connections.failed) == "tls":
        told = (failure.detail for failure in report.failures if failure.kind == "tls")
        return tls_hints.hint(next(told, ""))
    return _hint(report.connections.failed, _OF_CONNECTIONS)


def _most(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} failed by '{kind}'" for kind, number in ordered if number)


def _hint(counts: dict[str, int], hints: dict[str, str]) -> str | None:
    kind = _commonest(counts)
    return None if kind is None else hints.get(kind)


def _commonest(counts: dict[str, int]) -> str | None:
    return min(counts, key=lambda name: (-counts[name], name), default=None)
