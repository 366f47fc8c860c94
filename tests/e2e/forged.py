"""Headers by which a client would pass for another one, and what of them reached an application."""

import re
from collections.abc import Iterator, Sequence

from . import deployed

MARK = "forged"
"""It is in every forged value."""

KEPT = "X-Shop"
"""A header of the client's own, which has to arrive."""

KNOWN = (
    *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix"),
    *("X-Forwarded-Server", "X-Forwarded-Ssl", "X-Forwarded-Scheme", "X-Forwarded-User", "Forwarded"),
    *("Forwarded-For", "Early-Data", "X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP"),
    *("X-Cluster-Client-IP", "Fastly-Client-IP", "CF-Connecting-IP", "Fly-Client-IP", "X-ProxyUser-IP"),
    *("X-Original-URL", "X-Original-URI", "X-Original-Host", "X-Original-For", "X-Original-Forwarded-For"),
    *("X-Rewrite-URL", "Proxy", "Proxy-Authorization", "Remote-User", "X-Remote-User", "X-Remote-IP"),
    *("X-Host", "X-HTTP-Host-Override", "X-Originating-IP", "X-SSL-Client-Verify", "Front-End-Https"),
)
"""Names that must be dropped, whatever nginx's list has."""

_SETS = ("Connection", "Host", "Upgrade")
"""What `forwarded.conf` names for another reason than that clients forge it."""

_MOST = 40
"""The most that are sent in one request: servers limit a head's fields to about a hundred."""

PATTERNS = (
    *("X-Forwarded-Anything", "X-Original-Anything", "X-Rewrite-Anything", "CF-Anything", "X-Real-Anything"),
    *("Forwarded.For", "X.Forwarded.For", "X~Real~IP", "X-Forwarded_For", "X!Client!IP"),
)
"""Names that only patterns can drop. nginx has none: of these it drops those that aren't plain names."""


def names() -> Sequence[str]:
    """`KNOWN`, and every name that nginx's list has."""
    text = (deployed.DEPLOY / "nginx" / "forwarded.conf").read_text(encoding="utf-8")
    found = re.findall(r"^proxy_set_header (\S+)", text, re.MULTILINE)
    return [*dict.fromkeys((*KNOWN, *(name for name in found if name not in _SETS)))]


def requests(server: str) -> Iterator[list[str]]:
    """curl's options of requests that together forge every name, with hyphens and with underscores."""
    plain = names()
    patterns = [name for name in PATTERNS if server != "nginx" or re.search(r"[^A-Za-z0-9-]", name)]
    every = (*plain, *(name.replace("-", "_") for name in plain), *patterns)
    for first in range(0, len(every), _MOST):
        some = every[first : first + _MOST]
        yield [f"-H{KEPT}: kept", *(f"-H{name}: {MARK}.example" for name in some)]


def arrived(headers: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """What of it the application got, of its headers."""
    return [one for one in headers if MARK in one[1]]
