"""A page's own recorded host: which it is, and its absolute addresses made relative to the site's root.

A page that was saved from the web names its own files by absolute addresses as well. Over a bench these would
lead elsewhere, so they become addresses of the site."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

TEXTS = frozenset({"html", "htm", "css", "js", "mjs", "json", "svg", "xml", "webmanifest"})
"""The endings of files in which addresses are looked for."""

_HOST = re.compile(
    r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]", re.I
)
_FILES = ("html", "htm", "css", "js", "zip", "old", "bak", "tmp", "site", "local")
"""Endings of folders' names that look like a host's but are not."""

_READ_BYTES = 256 * 1024
"""How far into a page the marks of its origin are searched."""

_VALUE = rb"\s*=\s*[\"']?([^\s\"'>]+)"
_CANONICAL = rb"<link\s(?=[^>]*\brel\s*=\s*[\"']?canonical\b)[^>]*?href" + _VALUE
_OPEN_GRAPH = rb"<meta\s(?=[^>]*\bproperty\s*=\s*[\"']?og:url\b)[^>]*?content" + _VALUE
_MARKS = (
    ("the comment that HTTrack left", re.compile(rb"<!--\s*Mirrored from ([^\s/>]+)[/\s]", re.I)),
    ("the comment that the browser left", re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+)", re.I)),
    ("<base href>", re.compile(rb"<base\s[^>]*?href" + _VALUE, re.I)),
    ("<link rel=canonical>", re.compile(_CANONICAL, re.I)),
    ("og:url", re.compile(_OPEN_GRAPH, re.I)),
)
"""The marks in a page that name its origin, the most reliable first."""


class Found(NamedTuple):
    """A page's own host, in lower case without a port, and what said so."""

    host: str
    by: str


class Rewritten(NamedTuple):
    """A text whose own absolute addresses are relative to the root, and how many they were."""

    content: bytes
    addresses: int


def detect(folder: str, page: bytes) -> Found | None:
    """The host from which a page was saved: by the name of its `folder`, which is wget's and HTTrack's way,
    or by what stands in the `page`; None where nothing says so."""
    if is_host(folder) and not folder.lower().endswith(tuple(f".{ending}" for ending in _FILES)):
        return Found(folder.lower(), "its folder's name")
    beginning = page[:_READ_BYTES]
    for by, mark in _MARKS:
        if (found := mark.search(beginning)) and (host := _host_of(found[1].decode(errors="replace"))):
            return Found(host, by)
    return None


def is_host(text: str) -> bool:
    """Whether a text is a host's name of at least two labels."""
    return _HOST.fullmatch(text) is not None


class Rewriter:
    """Makes the absolute addresses of `hosts`, names in lower case, relative to the site's root: those with a
    scheme and those without, and those escaped for JSON."""

    def __init__(self, hosts: Sequence[str]) -> None:
        names = "|".join(re.escape(host) for host in sorted(hosts, key=len, reverse=True))
        # What precedes must not make it part of another address, nor what follows another host's name.
        self._address = re.compile(
            rf"(?<![\w:/.%\\-])(?:https?:)?(?P<slash>\\?/)(?P=slash)(?:{names})\.?(?::\d{{1,5}})?"
            rf"(?:(?P<path>\\?/)|(?![\w.:@-]))".encode(),
            re.I,
        )

    def rewrite(self, content: bytes) -> Rewritten:
        """`content` with its own absolute addresses made relative."""
        count = 0

        def relative(found: re.Match[bytes]) -> bytes:
            nonlocal count
            count += 1
            return found["path"] or found["slash"]

        return Rewritten(self._address.sub(relative, content), count)


def _host_of(address: str) -> str | None:
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return None
    return host.lower() if is_host(host) else None
