"""One line of requests.jsonl: a request and its response."""

import re
from collections.abc import Iterable
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pronghorn.model import bounds
from pronghorn.model.address import bracketed
from pronghorn.sites.archive import layout, limits

Kind = Literal["document", "script", "style", "image", "font", "fetch", "media", "other"]
"""What a response is for. A frame's page is a `document`, too; `fetch` is what scripts ask for as data."""

How = Literal["parser", "script", "redirect", "preload", "style", "preflight", "other"]
"""What in the initiator asked for it: markup, a running script, a redirect's Location, `preload` or a Link
header, a style sheet (`url()`, `@import`), CORS before the request proper (Fetch, §4.8), or another."""

Protocol = Literal["h1", "h2", "h3"]

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A method or a header's name (RFC 9110 §5.6.2)."""

_UNSENDABLE = re.compile(r"[\0-\x08\x0a-\x1f\x7f]")
_URL = re.compile(r"https?://[!-\"$-~]+")
_HOST = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
    r"(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?|\[[0-9a-f:.]{2,45}\]"
)
_PORTS = {"http": 80, "https": 443}


class Target(BaseModel):
    """Where a URL leads: `host` in lower case, `port`, and `path` with its query as it is sent."""

    model_config = ConfigDict(frozen=True)
    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """The target of a URL of http or https in ASCII, without user or fragment. ValueError, with a clause that
    says what is wrong."""
    if len(url) > limits.MOST_URL:
        raise ValueError(f"a URL of {len(url)} characters: {limits.MOST_URL} at most are allowed")
    if _URL.fullmatch(url) is None:
        raise ValueError("this is no http or https URL in ASCII without spaces and fragment")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("its host or port can't be read") from None
    if "@" in parts.netloc:
        raise ValueError("a URL must not hold a user or a password")
    host = _host(parts)
    if _HOST.fullmatch(host) is None or port == 0:
        raise ValueError("its host is no name that can be looked up")
    after = url[len(parts.scheme) + 3 + len(parts.netloc) :]
    path = after if after.startswith("/") else f"/{after}"
    scheme: Literal["http", "https"] = "http" if parts.scheme == "http" else "https"
    return Target(scheme=scheme, host=host, port=port or _PORTS[scheme], path=path)


def _host(parts: SplitResult) -> str:
    return bracketed(parts.hostname or "")


def _url(text: str) -> str:
    target_of(text)
    return text


def _method(text: str) -> str:
    if TOKEN.fullmatch(text) is None:
        raise ValueError("this is no method (RFC 9110 §9.1)")
    return text


def _header(pair: tuple[str, str]) -> tuple[str, str]:
    name, value = pair
    if TOKEN.fullmatch(name) is None:
        raise ValueError(f"{bounds.shown(name)} is no header's name (RFC 9110 §5.1)")
    if _UNSENDABLE.search(value):
        raise ValueError(f"the value of {name} holds a control character, as no header can (RFC 9110 §5.5)")
    if len(name) + len(value) > limits.MOST_HEADER:
        raise ValueError(f"the header {name} is longer than {limits.MOST_HEADER} characters")
    return pair


def _digest(text: str) -> str:
    if not layout.is_digest(text):
        raise ValueError("this is no SHA-256 in lower-case hexadecimal digits")
    return text


Url = Annotated[str, AfterValidator(_url)]
"""An absolute URL of http or https as it is asked for: ASCII, percent-encoded, no user, no fragment."""

Digest = Annotated[str, AfterValidator(_digest)]

Header = Annotated[tuple[str, str], AfterValidator(_header)]
"""A header's name as it was sent, and its value, which goes out as UTF-8."""

Headers = Annotated[tuple[Header, ...], Field(max_length=limits.MOST_HEADERS)]

Number = Annotated[int, Field(ge=1, le=limits.MOST_EXCHANGES)]
Word = Annotated[str, Field(max_length=64)]


class Exchange(BaseModel):
    """A request and its response. Times are in seconds, `start_s` from the start of the page's load.

    `id` counts from 1 in the order of `start_s`. `body` is the SHA-256 of the response's bytes as sent, with
    their content coding, and None where it has none; `body_bytes` how many they are. `made`: they are seeded
    bytes, since the source lacked them. `recoded`: the source had them decoded, and the coding was applied
    again, so that their number may differ from the one recorded. `hints` are the headers of a 103 (RFC 8297).

    `initiator` is the exchange that asked for it, `document` the one that brought the page or the frame in
    which it did; None: the page itself, or not known. `blocked_s` lasts from `start_s` until the request
    was sent: in queues, for the name, the connection and the sending. `wait_s` lasts from the request's
    end to the response's first byte, so it holds a round trip and the server's time; `receive_s` from
    there to its last. `request_headers` are those that choose the response, without secrets. `connection`
    names the connection as recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: Number
    url: Url
    method: Annotated[Word, AfterValidator(_method)] = "GET"
    status: Annotated[int, Field(ge=200, le=999)]
    headers: Headers = ()
    hints: Headers = ()
    body: Digest | None = None
    body_bytes: Annotated[int, Field(ge=0, le=limits.MOST_BODY)] = 0
    made: bool = False
    recoded: bool = False
    kind: Kind = "other"
    initiator: Number | None = None
    how: How = "other"
    document: Number | None = None
    start_s: bounds.Seconds = 0.0
    blocked_s: bounds.Seconds = 0.0
    wait_s: bounds.Seconds = 0.0
    receive_s: bounds.Seconds = 0.0
    priority: Word | None = None
    protocol: Protocol | None = None
    connection: Word | None = None
    request_headers: Headers = ()
    request_body: Digest | None = None
    request_bytes: Annotated[int, Field(ge=0, le=limits.MOST_BODY)] = 0

    @property
    def target(self) -> Target:
        """Where its URL leads."""
        return target_of(self.url)

    @property
    def end_s(self) -> float:
        """When its last byte had come."""
        return self.start_s + self.blocked_s + self.wait_s + self.receive_s

    def header(self, name: str) -> str | None:
        """The value of the first response header of this name, whatever its case; None where there is
        none."""
        return value_of(self.headers, name)


def value_of(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The value of the first header of this name, whatever its case; None where there is none."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)
