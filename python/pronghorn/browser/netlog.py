"""What Chromium's NetLog tells beyond the DevTools protocol, while it is still being written."""

from pathlib import Path
from typing import Any

from pronghorn import reading
from pronghorn.model import foreign

_MOST_BYTES = 2**30
_SSL_CONNECT = "SSL_CONNECT"


def resumed(file: Path) -> dict[int, bool]:
    """Of each TLS connection over TCP whose handshake the log at `file` holds, by the number of its socket:
    whether it resumed a session. Empty where the file can't be read.

    The browser writes the log some events behind; what has not been written is missing."""
    try:
        lines = reading.text(file, _MOST_BYTES, "a NetLog").splitlines()
        types = foreign.json_table(lines[0].rstrip(",") + "}")["constants"]["logEventTypes"]
    except (reading.Unreadable, ValueError, LookupError, TypeError):
        return {}
    found = {}
    for line in lines[2:]:
        event = _event(line)
        if event.get("type") == types.get(_SSL_CONNECT) and "is_resumed" in event.get("params", {}):
            found[int(event["source"]["id"])] = bool(event["params"]["is_resumed"])
    return found


def _event(line: str) -> dict[str, Any]:
    try:
        return foreign.json_table(line.rstrip(","))
    except foreign.Malformed:
        return {}
