"""Secrets in headers: cookies, credentials, keys, and URLs."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable

from pronghorn.redaction import names, urls
from pronghorn.redaction.ledger import JWT, Ledger

Pair = tuple[str, str]

_COOKIE = re.compile(r"(?P<before>(?:^|;)\s*)(?P<name>[^=;\s]{1,256})=(?P<value>[^;]*)")
_WORD = re.compile(r"[^\s,;\"'=]+=*")
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
            for cookie in _COOKIE.finditer(value):
                _enter_cookie(cookie["name"], cookie["value"], ledger)
        elif lower == "set-cookie":
            for cookie in _COOKIE.finditer(value.partition(";")[0]):
                _enter_cookie(cookie["name"], cookie["value"], ledger)
        elif names.secret_header(name):
            for word in _credentials(value):
                if names.everywhere("password", word) and (
                    names.random_looking(word) or len(word) >= names.SHORTEST
                ):
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
            return _cookies(value, ledger)
        if lower == "set-cookie":
            first, semicolon, rest = value.partition(";")
            return _cookies(first, ledger) + semicolon + rest
        foreign = of_request and lower not in _BARE and not lower.startswith("sec-")
        if names.secret_header(name) or foreign:
            return _words(value, lambda word: ledger.stand_in(word, "header"))
        return _QUOTED_URL.sub(lambda found: urls.redacted(found[0], ledger), value)

    return [(name, changed(name, value)) for name, value in headers]


def _enter_cookie(name: str, value: str, ledger: Ledger) -> None:
    bare = value.strip().strip('"')
    if names.everywhere(name, bare):
        ledger.everywhere(bare, "cookie")


def _cookies(value: str, ledger: Ledger) -> str:
    """`name=value; name=value` with other values; a cookie without a name is all value (RFC 6265bis)."""
    if "=" not in value:
        return ledger.stand_in(value, "cookie")

    def changed(found: re.Match[str]) -> str:
        bare = found["value"].strip().strip('"')
        if not bare:
            return found[0]
        value = found["value"].replace(bare, ledger.stand_in(bare, "cookie"))
        return f"{found['before']}{found['name']}={value}"

    return _COOKIE.sub(changed, value)


def _credentials(value: str) -> list[str]:
    """The words of a header that are no scheme's name, and what Basic's base64 holds (RFC 7617)."""
    if value.count(" ") > _MOST_WORDS:
        return [value]
    words = [word for word in _WORD.findall(value) if word.lower() not in _SCHEMES]
    if value[:6].lower() == "basic ":
        try:
            decoded = base64.b64decode(value[6:].strip(), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return words
        words += [part for part in decoded.split(":", 1) if len(part) >= names.SHORTEST_PASSWORD]
    return words


def _words(value: str, change: Callable[[str], str]) -> str:
    if value.count(" ") > _MOST_WORDS:
        return change(value)
    return _WORD.sub(lambda found: found[0] if found[0].lower() in _SCHEMES else change(found[0]), value)
