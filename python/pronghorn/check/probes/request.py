"""The requests that a check sends, and the responses as they grow."""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from pronghorn import __version__
from pronghorn.check.facts import Answer
from pronghorn.check.target import Target

MOST_BODY_BYTES = 2_000_000
"""How much of a body is read."""

MOST_KEPT_BYTES = 100_000
"""How much of it is kept, for the echo endpoint's answer."""


@dataclass(frozen=True)
class Request:
    """One request without a body; `more` are headers beside the usual ones."""

    authority: str
    path: str
    method: str = "GET"
    encodings: str = "gzip, br"
    more: tuple[tuple[str, str], ...] = ()

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers without the host and pseudo-headers."""
        return [
            ("user-agent", f"pronghorn-check/{__version__}"),
            ("accept", "text/html,*/*;q=0.8"),
            ("accept-encoding", self.encodings),
            *([("content-length", "0")] if self.method == "POST" else []),
            *self.more,
        ]

    @property
    def with_pseudo_headers(self) -> list[tuple[str, str]]:
        """The headers as HTTP/2 and HTTP/3 have them."""
        pseudo = [
            (":method", self.method),
            (":scheme", "https"),
            (":authority", self.authority),
            (":path", self.path),
        ]
        return pseudo + self.headers


def page(target: Target) -> Request:
    """The request for the page itself."""
    return Request(target.authority, target.path)


def echo(target: Target, path: str, *more: tuple[str, str]) -> Request:
    """A request to the echo endpoint, whose answer must be readable."""
    parts = urlsplit(path)
    whole = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Request(target.authority, whole, encodings="identity", more=more)


class Growing:
    """A response while it comes in."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: tuple[tuple[str, str], ...] = ()
        self.ended = False
        self._size_bytes = 0
        self._kept = b""
        self._digest = hashlib.sha256()

    def head(self, headers: list[tuple[bytes, bytes]], status: int | None = None) -> None:
        """The final response's head; `status` if it isn't among the headers."""
        told = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
        if status is None:
            status = next(
                (int(value) for name, value in told if name == ":status" and re.fullmatch("[0-9]{3}", value)),
                0,
            )
        if status < 100 or status >= 200:
            self.status = status
            self.headers = tuple(each for each in told if not each[0].startswith(":"))

    def body(self, data: bytes) -> None:
        """More of the body. What is too long ends the reading."""
        self._size_bytes += len(data)
        self._digest.update(data)
        self._kept += data[: MOST_KEPT_BYTES - len(self._kept)]

    @property
    def enough(self) -> bool:
        """Whether no more has to be read."""
        return self.ended or self._size_bytes > MOST_BODY_BYTES

    def answer(self) -> Answer:
        """The response as far as it came."""
        whole = self._digest.hexdigest() if self.ended else None
        return Answer(self.status, self.headers, self._size_bytes, whole, self._kept)
