"""Proof that what was asked for is what was measured: each request's protocol at both ends, the sender's
control."""

from collections import Counter
from collections.abc import Sequence

from pronghorn.analysis.protocols import answered
from pronghorn.model.arm import Arm
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import OriginCount, PageLoad
from pronghorn.origins import OriginLog
from pronghorn.sites.hosts import Replay
from pronghorn.trust import left_out
from pronghorn.trust.guard import Fault

PROTOCOL = "protocol"
CONGESTION_CONTROL = "congestion-control"
STACK = "stack"

Counts = Sequence[OriginCount]


def mismatch(
    arm: Arm, page: PageLoad, log: OriginLog, counts: Counts = (), replay: Replay | None = None
) -> Fault | None:
    """How the load was not proved to be one of `arm`, or None. `counts` are the origin's log of a load of
    many requests, `replay` are the hosts of a recorded site."""
    if page.report is not None:
        return otherwise(arm, page, log, counts) or _miscount(page.report, log, counts)
    return otherwise(arm, page, log, replay=replay) or _disagreement(page, log)


def otherwise(
    arm: Arm, page: PageLoad, log: OriginLog, counts: Counts = (), *, replay: Replay | None = None
) -> Fault | None:
    """How the load was another one than of `arm`, which stands however crowded the host was, or None.

    Every resource that was answered must have come over the arm's protocol, or with a discovery over one of
    those that lead there, as the client saw it; every request that the origin logged likewise, but for
    sockets. A recorded site's host that doesn't speak that protocol must have been loaded over the highest
    below it that it speaks, and over no other. The origin's connections must run the arm's
    congestion control where it can be read back. Both ends' connections must be of the QUIC stack that the
    arm names, if it names one."""

    def allowed(path: str) -> frozenset[str]:
        return arm.protocols if replay is None else replay.allowed(path, arm.protocols)

    for resource in page.resources:
        seen, may = resource.protocol, allowed(resource.path)
        if resource.from_cache:
            continue
        if seen not in may and (seen is not None or resource.status is not None):
            return _not_over(arm, may, f"the client got {resource.path}", seen)
    if page.report is not None and page.report.protocol != arm.protocol:
        return _not_over(arm, arm.protocols, "the client's answers came", page.report.protocol)
    served = [(one.path, one.protocol) for one in log.requests]
    served += [(one.path or "requests", one.protocol) for one in counts]
    sockets = left_out.sockets(page, replay)
    for path, protocol in served:
        may = allowed(path)
        if protocol not in may and not (protocol == "h1" and path in sockets):
            return _not_over(arm, may, f"the origin served {path}", protocol)
    for connection in log.connections:
        actual = connection.congestion_control
        asked = arm.controls["quic" if connection.protocol == "h3" else "tcp"]
        if actual is not None and actual != asked:
            by_host = arm.tcp_by_host is not None and connection.protocol != "h3"
            said = f"this machine gives {asked}" if by_host else f"asked {asked}"
            return Fault(CONGESTION_CONTROL, f"{said}, but the origin ran {actual}")
    return _other_stack(arm, page, log)


def _other_stack(arm: Arm, page: PageLoad, log: OriginLog) -> Fault | None:
    if arm.stack_asked is None:
        return None
    for end, connections in (("client", page.connections), ("origin", log.connections)):
        for connection in connections:
            # A connection that never was has no settings.
            actual = connection.settings.get("stack", arm.stack if not connection.settings else None)
            if actual != arm.stack:
                return Fault(
                    STACK, f"asked {arm.stack}, but the {end}'s QUIC was {actual or 'of no known stack'}"
                )
    return None


def _disagreement(page: PageLoad, log: OriginLog) -> Fault | None:
    """Where the origin's log says otherwise than the client of a load that succeeded: no resource may be
    missing from it, over the same protocol. Where the origin keeps no log the client's word is all there is.
    """
    if not log.kept or page.outcome != "ok":
        return None
    asked = Counter((resource.path, resource.protocol) for resource in answered(page))
    served = Counter((request.path, request.protocol) for request in log.requests)
    lacking = asked - served
    if not lacking:
        return None
    path, protocol = next(iter(lacking))
    others = sorted({str(one) for name, one in (served - asked) if name == path})
    if others:
        return Fault(
            PROTOCOL,
            f"the client got {path} over {protocol}, but the origin served it over {', '.join(others)}",
        )
    return Fault(
        PROTOCOL, f"the origin's log lacks {lacking.total()} of the client's requests, such as {path}"
    )


def _miscount(report: LoadReport, log: OriginLog, counts: Counts) -> Fault | None:
    """Where the origin's log and the client's counts of a load can't both be true: every answer that the
    client counted by its status stands in the log at least as often, and the log has no more requests than
    the client sent, with those that it sent again, didn't measure, or made to gain sessions."""
    if not log.kept:
        return None
    served: Counter[str] = Counter()
    for one in counts:
        served[str(one.status)] += one.requests
    for status, answers in report.requests.statuses.items():
        if answers > served[status]:
            return Fault(
                PROTOCOL,
                f"the client counted {answers} answers of status {status}, the origin's log {served[status]}",
            )
    requests = report.requests
    sent = requests.sent + requests.retried + requests.warm_up + report.connections.attempted
    if served.total() > sent:
        return Fault(
            PROTOCOL,
            f"the origin's log has {served.total()} requests, but the client sent no more than {sent}",
        )
    return None


def _not_over(arm: Arm, allowed: frozenset[str], what: str, seen: str | None) -> Fault:
    asked = arm.protocol if arm.discovery == "forced" else f"{arm.protocol}, found by {arm.discovery}"
    if arm.protocol not in allowed:
        asked += f" and, of a host that doesn't speak it, {' or '.join(sorted(allowed))}"
    return Fault(PROTOCOL, f"asked {asked}, but {what} over {seen or 'no known protocol'}")
