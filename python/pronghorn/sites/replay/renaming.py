"""Texts in which the names of hosts become another host's, wherever they follow `//`; with it go integrity
checks and policies, which hold for the texts as they were."""

import re
from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple

_SLASHES = r"//|\\/\\/|(?:\\u002f){2}|(?:%2f){2}"
_HASH = r"sha\d{3}-[A-Za-z0-9+/=_-]+"
_INTEGRITY = rf"\bintegrity\\*[\"']?\s*[=:]\s*\\*[\"']?(?P<hash>{_HASH}(?:\s+{_HASH})*)"
_POLICY = r"(?P<policy><meta\s[^<>]*http-equiv\s*=\s*[\"']?content-security-policy[^<>]*>)"
_NO_HASH = b"x"
"""A word that is no hash, which browsers ignore (SRI, §3.3.3)."""


class Renamed(NamedTuple):
    """A text and where its parts stand now: the ends of what was changed, as it was, and how much longer the
    text is up to there."""

    text: bytes
    ends: list[int]
    longer: list[int]

    def place(self, end: int) -> int:
        """How many bytes stand for the first `end` of the text as it was."""
        before = bisect_right(self.ends, end)
        return end + (self.longer[before - 1] if before else 0)


class Renaming:
    """The names of `hosts` become `host`."""

    def __init__(self, hosts: Collection[str], host: str) -> None:
        self._host = host
        self._bytes = host.encode()
        names = "|".join(sorted(map(re.escape, hosts), key=len, reverse=True)) or "(?!)"
        name = rf"(?P<slashes>{_SLASHES})(?:{names})(?::\d+)?(?![A-Za-z0-9.-])"
        self._name = re.compile(name, re.IGNORECASE)
        self._changed = re.compile(rf"{name}|{_INTEGRITY}|{_POLICY}".encode(), re.IGNORECASE)

    def text(self, text: str) -> str:
        """A URL or a header's value."""
        return self._name.sub(rf"\g<slashes>{self._host}", text)

    def content(self, content: bytes, *, document: bool, most: int) -> Renamed | None:
        """A body; of a `document` policies go, too. None where it would have more than `most` bytes."""
        pieces: list[bytes] = []
        ends: list[int] = []
        longer: list[int] = []
        at = more = 0
        for found in self._changed.finditer(content):
            start, end = found.span()
            if found["slashes"] is not None:
                new = found["slashes"] + self._bytes
            elif found["hash"] is not None:
                start, end = found.span("hash")
                new = _NO_HASH
            elif document:
                new = b""
            else:
                continue
            more += len(new) - (end - start)
            if len(content) + more > most:
                return None
            pieces += (content[at:start], new)
            ends.append(end)
            longer.append(more)
            at = end
        return Renamed(b"".join([*pieces, content[at:]]), ends, longer)
