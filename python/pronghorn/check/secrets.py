"""What of a host's headers may be shown: values may hold tokens, and a report is kept and passed on."""

import re

from pronghorn.check.comparing import HEADERS

FORWARDED = (
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "x-forwarded-proto",
    "x-forwarded-host",
    "x-forwarded-port",
    "host",
)
"""The headers of an echo by which an application knows its visitor."""

_SHOWN = {*HEADERS, *FORWARDED, "alt-svc", "early-data", "server", "date", "content-length"}
_AFTER_A_PATH = re.compile(r"[?#][^\s;,\"'<>]*")
_USER = re.compile(r"//[^\s/@]*@")


def without_secrets(value: str) -> str:
    """A value whose URLs have neither query, nor fragment, nor user."""
    return _AFTER_A_PATH.sub(lambda found: f"{found[0][0]}…", _USER.sub("//…@", value))


def shown(name: str, value: str) -> str:
    """A header's value, or its length alone unless it is known to hold no secret."""
    return without_secrets(value) if name in _SHOWN else f"({len(value)} characters)"
