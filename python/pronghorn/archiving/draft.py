"""One request as its source has it, and what holds for all requests of a source."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pronghorn.archiving import addresses
from pronghorn.sites.archive import Device, How, Kind
from pronghorn.sites.archive.exchange import Protocol, value_of

Pair = tuple[str, str]

_REDIRECTS = (301, 302, 303, 307, 308)


class Body(NamedTuple):
    """A response's body. `content`: its bytes, None where the source lacks them; `decoded`: they are
    without their content coding. `coded_bytes` and `decoded_bytes`: how many the source says there are
    with and without the coding; None: it doesn't say."""

    content: bytes | None = None
    decoded: bool = False
    coded_bytes: int | None = None
    decoded_bytes: int | None = None

    @property
    def largest(self) -> int:
        """The most bytes that it has, with or without its coding, as far as is said."""
        return max(self.coded_bytes or 0, self.decoded_bytes or 0)


@dataclass
class Draft:
    """A request and its response. `start_s` counts from any moment, the same for all of a source; `end_s`
    likewise. `rtt_s` is the round trip of its connection's handshake. `initiator` is the URL that asked
    for it, `frame` the URL of the document within which it did. `address` is the server's. `from_cache`:
    it did not travel. `failed`: why there is no response that could be kept, a word to count by. `aliases`
    are other URLs of the same response."""

    url: str
    method: str = "GET"
    status: int = 200
    headers: list[Pair] = field(default_factory=list)
    hints: list[Pair] = field(default_factory=list)
    body: Body = field(default_factory=Body)
    kind: Kind | None = None
    initiator: str | None = None
    how: How | None = None
    frame: str | None = None
    start_s: float = 0.0
    blocked_s: float = 0.0
    wait_s: float = 0.0
    receive_s: float = 0.0
    rtt_s: float | None = None
    priority: str | None = None
    protocol: Protocol | None = None
    connection: str | None = None
    address: str | None = None
    request_headers: list[Pair] = field(default_factory=list)
    request_body: bytes | None = None
    from_cache: bool = False
    failed: str | None = None
    aliases: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """The value of the first response header of this name."""
        return value_of(self.headers, name)

    def request_header(self, name: str) -> str | None:
        """The same of the request."""
        return value_of(self.request_headers, name)

    @property
    def redirects(self) -> bool:
        """Whether its status is a redirect's, even if it leads nowhere."""
        return self.status in _REDIRECTS

    @property
    def redirects_to(self) -> str | None:
        """The clean URL to which the response redirects; None where it doesn't."""
        location = self.header("location") if self.redirects else None
        return addresses.joined(self.url, location) if location else None

    @property
    def media_type(self) -> str:
        """The response's media type in lower case, without parameters; empty where none is told."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()


@dataclass
class Source:
    """What holds for all drafts. `recorded` is a time in UTC (RFC 3339), `by` names program and browser.
    `page` is the URL of the page, None where it has to be found among the drafts; without `timed` the
    drafts' times say nothing, and what the page doesn't name is none of it; `load_s` is when the load event
    came, from the page's request on; `cold`: the browser's cache was empty, so that a 304 is the answer to a
    condition of the page's own; `left_out` and `repaired`
    count by reason what the source's reader left out or put right."""

    recorded: str
    by: str
    page: str | None = None
    timed: bool = True
    load_s: float | None = None
    cold: bool = False
    device: Device = field(default_factory=Device)
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
