"""Which recorded response headers a replay sends."""

from collections.abc import Iterable, Iterator

ALT_SVC = ("alt-svc", 'h3=":443"; ma=86400')
"""What a host that speaks HTTP/3 advertises, in place of what it did when recorded."""

_OF_CONNECTIONS = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers of one connection (RFC 9110 §7.6.1)."""

_OF_SERVERS = frozenset({"alt-svc", "content-length", "date", "server"})
"""Headers that the server says itself."""

_ABOUT_OTHER_LOADS = frozenset(
    {"clear-site-data", "critical-ch", "expect-ct", "nel", "public-key-pins", "report-to",
     "reporting-endpoints", "strict-transport-security"}
)  # fmt: skip
"""Headers that would make a browser send reports, load the page twice, or remember the host."""

DROPPED = _OF_CONNECTIONS | _OF_SERVERS | _ABOUT_OTHER_LOADS
"""Headers that are never sent as recorded."""

_POLICIES = frozenset({"content-security-policy", "content-security-policy-report-only"})
_OF_POLICIES = frozenset({"report-to", "report-uri"})
"""Directives of a policy that would send reports."""

_OF_REQUESTS = _OF_CONNECTIONS | {
    "accept-encoding", "content-length", "expect", "host", "priority",
}  # fmt: skip
"""Request headers that the client says itself."""


def answered(recorded: Iterable[tuple[str, str]], *, h3: bool, head: bool) -> Iterator[tuple[str, str]]:
    """The headers of an answer, as `recorded` but for what the rules change; `h3`: whether its host speaks
    HTTP/3; `head`: whether the answer is to HEAD, which says how long another one would be."""
    for name, value in recorded:
        lower = name.lower()
        if lower in DROPPED and not (head and lower == "content-length"):
            continue
        if lower in _POLICIES:
            value = _without_reports(value)
            if not value:
                continue
        yield lower, value
    if h3:
        yield ALT_SVC


def asked(recorded: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The headers of a request, but for those that the client says itself."""
    for name, value in recorded:
        lower = name.lower()
        if lower not in _OF_REQUESTS and not lower.startswith((":", "proxy-")) and value.isascii():
            yield lower, value


def _without_reports(policy: str) -> str:
    kept = []
    for directive in policy.split(";"):
        words = directive.split()
        if words and words[0].lower() not in _OF_POLICIES:
            kept.append(directive.strip())
    return "; ".join(kept)
