"""An entry's times."""

import datetime
from typing import Any, NamedTuple

from pronghorn.importing.har.values import number, table, text

_MOST_S = 3600.0
"""A longer phase is none."""

_ROUNDED_S = 0.001
"""By how much phases may miss their sum."""

_PHASES = ("blocked", "dns", "connect", "send", "wait", "receive", "ssl")
_YEARS = (1990, 2200)


class Timing(NamedTuple):
    """In seconds. `rtt`: the TCP handshake, None where none was made or it can't be told from TLS's."""

    blocked: float
    wait: float
    receive: float
    rtt: float | None


def timing(entry: dict[str, Any]) -> Timing:
    """The phases of `timings`, in milliseconds there; what is negative or no number does not apply."""
    told = table(entry, "timings")
    phase = {name: _seconds(told.get(name)) for name in _PHASES}
    if not any(phase.values()):
        # Some makers tell the whole alone.
        return Timing(0.0, _seconds(entry.get("time")), 0.0, None)
    connect, ssl = phase["connect"], phase["ssl"]
    rtt = (connect if _apart(phase, _seconds(entry.get("time"))) else connect - ssl) if ssl else 0.0
    blocked = phase["blocked"] + phase["dns"] + max(connect, rtt + ssl) + phase["send"]
    return Timing(blocked, phase["wait"], phase["receive"], rtt or None)


def _apart(phase: dict[str, float], whole: float) -> bool:
    """Whether `connect` is without `ssl`, as mitmproxy has them: all phases add up to the whole time. In HAR
    1.2 it includes `ssl`."""
    beyond = sum(phase.values()) - whole
    return phase["ssl"] >= phase["connect"] or abs(beyond) < min(_ROUNDED_S, abs(beyond - phase["ssl"]))


def moment(value: Any) -> float | None:
    """Seconds since 1970 of a time in ISO 8601, in UTC where it names no zone; None where it is none."""
    try:
        found = datetime.datetime.fromisoformat(text(value, 64).strip())
    except ValueError:
        return None
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()


def written(seconds: float) -> str:
    """A moment as an archive has it, in UTC."""
    at = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _seconds(value: Any) -> float:
    found = number(value)
    return found / 1e3 if found is not None and 0 < found <= _MOST_S * 1e3 else 0.0
