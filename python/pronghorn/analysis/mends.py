"""What to do, and to type, where loads fail for a reason that repeating doesn't mend."""

import re
from collections.abc import Sequence

from pronghorn.model.loaded import Failure

OF_DISCARDS = (
    "Measure on a quieter host, one trial at a time: --jobs 1; on a virtual machine with --awake. "
    "'pronghorn doctor' says what this host lacks."
)

_VIRTUAL = "Measure in virtual time, which a busy host can't disturb: --clock virtual. Or measure "

_OF_NEIGHBOURS = ("starved", "late", "steal")
"""The reasons of trials that a busy host spoils, and virtual time doesn't know."""

_OF_REASONS = {
    "protocol": "Let the server offer the protocol on this port",
    "connect": "See that the server listens there, on TCP and for h3 on UDP, and that no firewall is between",
    "resolve": "See that the server's name, and every name that the page asks for, has an address",
    "tls": "Name the authority that vouches for the server: --set authority=FILE; see that its certificate "
    "names this host",
    "timeout": "See that the server answers over this protocol (h3's port is UDP's); a page that takes "
    "longer needs more time: --set limit=300s",
    "reset": "Look at the server's own log for why it closed the connection",
    "incomplete": "Look at the server's own log for why it broke the response off",
    "session": "Let the server give session tickets, or leave out +resumed and +0rtt",
    "prepare": "The visit before the measured load fails: see why without +resumed, +0rtt and +warm",
    "congestion-control": "Ask for a congestion control that the server can be given (docs/servers.md)",
    "origin": "See that the server starts with its configuration, and listens on TCP and for h3 on UDP: its "
    "last lines are in the record",
    "client": "See that the client starts by itself: its last lines are in the record",
    "browser": "See that the browser starts: 'pronghorn doctor'",
    "connections": "Let the server take so many connections (nginx: worker_connections), or ask for fewer: "
    "--set load.connections=N",
    "requests": "Look at the server's own log for why requests failed",
    "no-request": "Have the document asked for again: --set cache_control=no-cache",
    "cut": "Give the load more time, or fewer requests: --set load.limit=300s",
}
"""The mend for each reason of failure that is known, without its full stop."""

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
    parts = [first] if first else ["Look at the trials in trials.jsonl: page, origin_log"]
    if failing and others:
        parts.append(f"or leave {', '.join(failing)} out: --set arms={','.join(others)}")
    return f"{', '.join(parts)}."


def _of_status(found: Failure) -> str:
    detail = found.detail or ""
    if "tolerate" in detail:
        return "Serve the resource, or tolerate its failure as the message says"
    path = _RESOURCE.match(detail)
    if path is None or path[1] == "/":
        return "Let the server answer what the page asks for"
    return (
        "Serve the resource, or count its failure as that request's own outcome: "
        f"--set 'tolerate=[\"{path[1]}\"]'"
    )
