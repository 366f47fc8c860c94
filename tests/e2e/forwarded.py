"""What an application behind a proxy learns of a client, read and expected."""

from collections.abc import Mapping, Sequence
from typing import Any

from pronghorn.certificates import HOST_NAME

from .deployment import Host

ADDRESSES: Mapping[Host, tuple[str, str]] = {
    "client": ("198.18.0.1", "198.18.0.1"),
    "server": ("::1", '"[::1]"'),
}
"""The address of a bench's client and of who asks within the server's host, as X-Forwarded-For and as
Forwarded have it."""

_NAMES = (
    *("host", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port"),
    *("x-forwarded-prefix", "forwarded", "early-data"),
)


def forwarded(headers: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What the application learns of the client, of its headers; of Forwarded what it says, in any order."""
    found: dict[str, Any] = {}
    for name, value in headers:
        if name in _NAMES:
            assert name not in found, f"{name} comes twice: {headers}"
            found[name] = value
    pairs = str(found.get("forwarded", "")).split(";")
    said = {key: value for key, _, value in (pair.partition("=") for pair in pairs)}
    # Any value may be quoted (RFC 7239, section 4); an IPv6 address has to be.
    found["forwarded"] = {**said, "host": said.get("host", "").strip('"')}
    return found


def expected(address: str, standard: str) -> dict[str, Any]:
    """The same of a client at an address."""
    return {
        "host": HOST_NAME,
        "x-forwarded-for": address,
        "x-forwarded-host": HOST_NAME,
        "x-forwarded-proto": "https",
        "x-forwarded-port": "443",
        "x-forwarded-prefix": "/",
        "forwarded": {"for": standard, "host": HOST_NAME, "proto": "https"},
    }
