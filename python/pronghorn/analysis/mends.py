"""What to do, and to type, where loads fail for a reason that repeating doesn't mend."""

import re
from collections.abc import Sequence

from pronghorn.model.loaded import Failure

OF_DISCARDS = (
    "Measure on a quieter host, one trial at a time: --jobs 1. On a virtual machine, add --awake. "
    "'pronghorn doctor' lists what this host lacks."
)

_VIRTUAL = "Measure in virtual time, which a busy host can't disturb: --clock virtual. Or measure "

_OF_NEIGHBOURS = ("starved", "late", "steal")
"""The reasons of trials that a busy host spoils, and virtual time doesn't know."""

_OF_REASONS = {
    "protocol": "Enable the protocol on this port of the server",
    "connect": "Check that the server listens there (TCP; for h3 UDP) and that no firewall blocks it",
    "resolve": "Check that the server's name, and every name that the page uses, resolves to an address",
    "tls": "Name the certificate authority: --set authority=FILE. Check that the server's certificate "
    "names this host",
    "timeout": "Check that the server answers over this protocol (h3 uses a UDP port). If the page only "
    "needs longer: --set limit=300s",
    "reset": "Read the server's log: it says why it closed the connection",
    "incomplete": "Read the server's log: it says why the response ended early",
    "session": "Make the server issue session tickets, or leave out +resumed and +0rtt",
    "prepare": "The visit before the measured load fails. Find out why without +resumed, +0rtt and +warm",
    "congestion-control": "Choose a congestion control that the server supports (docs/servers.md)",
    "origin": "Check that the server starts with its configuration and listens (TCP; for h3 UDP). Its "
    "last lines are in the record",
    "client": "Check that the client starts on its own. Its last lines are in the record",
    "browser": "Check that the browser starts: 'pronghorn doctor'",
    "connections": "Raise the server's connection limit (nginx: worker_connections), or open fewer: "
    "--set load.connections=N",
    "requests": "Read the server's log: it says why requests failed",
    "no-request": "Make clients request the document again: --set cache_control=no-cache",
    "cut": "Give the load more time, or fewer requests: --set load.limit=300s",
}
"""The fix for each known reason of failure, without its full stop."""

_RESOURCE = re.compile(r"^(/\S*?):? (?:was answered|status)\b")


def of_discards(reason: str, *, virtual: bool) -> str:
    """What to do where trials are contaminated, most of them for this reason; `virtual`: virtual time can run
    them too."""
    if reason in _OF_NEIGHBOURS and virtual:
        return _VIRTUAL + OF_DISCARDS.removeprefix("Measure ")
    return OF_DISCARDS


def of_failure(found: Failure, failing: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """What to do about a failure of the arms `failing`; `others` are those that load, with which the run
    could go on."""
    first = _of_status(found) if found.reason == "status" else _OF_REASONS.get(found.reason)
    parts = [first] if first else ["Look at page and origin_log of these trials in trials.jsonl"]
    if failing and others:
        parts.append(f"or leave {', '.join(failing)} out: --set arms={','.join(others)}")
    return f"{', '.join(parts)}."


def _of_status(found: Failure) -> str:
    detail = found.detail or ""
    if "tolerate" in detail:
        return "Serve the resource, or tolerate its failure as the message says"
    path = _RESOURCE.match(detail)
    if path is None or path[1] == "/":
        return "Make the server answer the page's requests"
    return f"Serve the resource, or accept that this request fails: --set 'tolerate=[\"{path[1]}\"]'"
