"""Proof that what was asked for is what was measured: each resource's protocol at both ends, the sender's
control."""

from collections import Counter

from pronghorn.execute.guard import Fault
from pronghorn.model.arm import Arm
from pronghorn.model.trial import PageLoad, Resource
from pronghorn.origins import OriginLog

PROTOCOL = "protocol"
CONGESTION_CONTROL = "congestion-control"


def answered(page: PageLoad) -> list[Resource]:
    """The resources that the client got a whole answer for."""
    return [resource for resource in page.resources if resource.status is not None and resource.error is None]


def mismatch(arm: Arm, page: PageLoad, log: OriginLog) -> Fault | None:
    """How the load was not one of `arm`, or None.

    Every resource that was answered must have come over the arm's protocol, as the client saw it; every
    request that the origin logged must have come over it; no resource of a successful load may be missing
    from the origin's log; and the origin's connections must run the arm's congestion control where it can be
    read back."""
    for resource in page.resources:
        seen = resource.protocol
        if seen not in arm.protocols and (seen is not None or resource.status is not None):
            return _not_over(arm, f"the client got {resource.path}", seen)
    for request in log.requests:
        if request.protocol not in arm.protocols:
            return _not_over(arm, f"the origin served {request.path}", request.protocol)
    for connection in log.connections:
        actual = connection.congestion_control
        asked = arm.controls["quic" if connection.protocol == "h3" else "tcp"]
        if actual is not None and actual != asked:
            return Fault(CONGESTION_CONTROL, f"asked {asked}, but the origin ran {actual}")
    missing = Counter(resource.path for resource in answered(page))
    missing.subtract(request.path for request in log.requests)
    lacking = +missing
    if page.outcome == "ok" and lacking:
        first = next(iter(lacking))
        return Fault(
            PROTOCOL, f"the origin's log lacks {lacking.total()} of the client's requests, such as {first}"
        )
    return None


def _not_over(arm: Arm, what: str, seen: str | None) -> Fault:
    return Fault(PROTOCOL, f"asked {arm.protocol}, but {what} over {seen or 'no known protocol'}")
