"""Secrets in headers: cookies, credentials, keys, and URLs."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable

from pronghorn.redaction import names, urls
from pronghorn.redaction.ledger import JWT, Ledger

Pair = tuple[str, str]

_WORD = re.compile(r"[^\s,;\"'=]+=*")
_SUBPROTOCOLS = "sec-websocket-protocol"
_TOKEN_AMONG_PROTOCOLS = re.compile(
    r"(?:^|[,\s])(?:auth\w*|bearer|(?:access[_-]?)?token|jwt)\s*,\s*([^\s,]{8,})", re.IGNORECASE
)
"""Among the names of protocols scripts put tokens, since they can set no header (RFC 6455 §1.9): after a
word that says so."""

_ALONE = ("authorization", "proxy-authorization")
"""Headers of which one word after the scheme's name is a secret, however it looks."""

_MOST_WORDS = 50
"""Of credentials; a longer value is one secret."""

_SCHEMES = frozenset({"basic", "bearer", "digest", "negotiate", "token", "apikey", "aws4-hmac-sha256"})
_QUOTED_URL = re.compile(
    r"(?:https?:|wss?:)?//[^\s<>\"',]++|(?<![^\s<>\"',=;(])/[^\s<>\"',?]*+\?[^\s<>\"',]++"
)
_BARE = frozenset(
    {
        "accept",
        "accept-charset",
        "accept-datetime",
        "accept-encoding",
        "accept-language",
        "access-control-request-headers",
        "access-control-request-method",
        "cache-control",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "dnt",
        "downlink",
        "dpr",
        "ect",
        "expect",
        "host",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "origin",
        "pragma",
        "priority",
        "purpose",
        "range",
        "referer",
        "rtt",
        "save-data",
        "te",
        "upgrade",
        "upgrade-insecure-requests",
        "user-agent",
        "viewport-width",
        "x-requested-with",
    }
)
"""Request headers that browsers send, whose values are no secrets beyond the URLs in them."""


def find(headers: Iterable[Pair], ledger: Ledger) -> None:
    """Enters the secrets of a message's headers that are secrets everywhere."""
    for name, value in headers:
        lower = name.lower()
        if lower == "cookie":
            for cookie in value.split(";"):
                _enter_cookie(cookie, ledger)
        elif lower == "set-cookie":
            _enter_cookie(value.partition(";")[0], ledger)
        elif names.secret_header(name):
            for word in _credentials(lower, value):
                if names.everywhere("password", word) and len(word) >= names.SHORTEST:
                    ledger.everywhere(word, "header")
        elif lower == _SUBPROTOCOLS:
            for word in _TOKEN_AMONG_PROTOCOLS.findall(value):
                if names.random_looking(word):
                    ledger.everywhere(word, "header")
        else:
            for url in _QUOTED_URL.findall(value):
                urls.find(url, ledger)
            for token in JWT.findall(value):
                ledger.everywhere(token, "token")


def redacted(headers: Iterable[Pair], ledger: Ledger, *, of_request: bool) -> list[Pair]:
    """The headers with stand-ins. `of_request`: values of headers that no browser sends by itself are
    replaced as well, whatever their names say."""

    def changed(name: str, value: str) -> str:
        lower = name.lower()
        if lower == "cookie":
            return ";".join(_cookie(one, ledger) for one in value.split(";"))
        if lower == "set-cookie":
            first, semicolon, rest = value.partition(";")
            return _cookie(first, ledger) + semicolon + rest
        foreign = of_request and lower not in _BARE and not lower.startswith("sec-")
        if names.secret_header(name) or foreign:
            return _words(value, lambda word: ledger.stand_in(word, "header"))
        return _QUOTED_URL.sub(lambda found: urls.redacted(found[0], ledger), value)

    return [(name, changed(name, value)) for name, value in headers]


def _enter_cookie(cookie: str, ledger: Ledger) -> None:
    name, value = _parted(cookie)
    if names.everywhere(name.strip(), value):
        ledger.everywhere(value, "cookie")


def _cookie(cookie: str, ledger: Ledger) -> str:
    """`name=value` with another value."""
    _, value = _parted(cookie)
    if not value:
        return cookie
    before, _, after = cookie.rpartition(value)
    return before + ledger.stand_in(value, "cookie") + after


def _parted(cookie: str) -> tuple[str, str]:
    """A cookie's name and its value without quotes; one without a name is all value (RFC 6265bis)."""
    name, equals, value = cookie.partition("=")
    return (name if equals else ""), (value if equals else name).strip().strip('"')


def _credentials(name: str, value: str) -> list[str]:
    """The words of a header that are secrets wherever they stand: those that look drawn at random, a single
    one after the scheme's name, and what Basic's base64 holds (RFC 7617)."""
    if value.count(" ") > _MOST_WORDS:
        return [value]
    words = [word for word in _WORD.findall(value) if word.lower() not in _SCHEMES]
    if len(words) != 1 or name not in _ALONE:
        words = [word for word in words if names.random_looking(word)]
    if value[:6].lower() == "basic ":
        try:
            decoded = base64.b64decode(value[6:].strip(), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return words
        words += [part for part in decoded.split(":", 1) if len(part) >= names.SHORTEST]
    return words


def _words(value: str, change: Callable[[str], str]) -> str:
    if value.count(" ") > _MOST_WORDS:
        return change(value)
    return _WORD.sub(lambda found: found[0] if found[0].lower() in _SCHEMES else change(found[0]), value)
