"""What was seen of a host, as plain data: the probes make it, the rules read it.

None means that something was not seen; why stands in `unknown` of the facts.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pronghorn.check.target import Target

Reached = Literal["ok", "refused", "silent", "unreachable", "failed", "cut"]
"""How an address answered: `refused` by a reset or an ICMP message, `silent` for as long as a probe waits,
`unreachable` from this host (no route, no such family, a filter of its own), `failed` during TLS or later,
`cut` off by the limit of the whole check, so that nothing is known."""

UNASKED: frozenset[Reached] = frozenset(("unreachable", "cut"))
"""What says nothing of the host."""

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Certificate:
    """One certificate that the server sent; `names` are of its SAN."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    not_before: datetime
    not_after: datetime
    self_signed: bool
    size_bytes: int


@dataclass(frozen=True)
class Chain:
    """The certificates as sent, the leaf first. `covers_host`: a name of the leaf is the host's.
    `distrust` is OpenSSL's error (X509_V_ERR_*) of the chain without regard to dates, 0 if it is trusted,
    None if this host has no authorities to judge by; `distrust_text` says it. `used` are the places
    in the list of those by which it is trusted, None if it isn't: others are sent for nothing."""

    certificates: tuple[Certificate, ...]
    covers_host: bool
    distrust: int | None
    distrust_text: str
    used: tuple[int, ...] | None = None

    @property
    def size_bytes(self) -> int:
        """The size of all certificates (DER)."""
        return sum(each.size_bytes for each in self.certificates)


@dataclass(frozen=True)
class Answer:
    """A response. `digest` is of the body as sent, None if that is longer than what is read; header names are
    in small letters."""

    status: int
    headers: Headers
    size_bytes: int
    digest: str | None
    body: bytes = field(repr=False, default=b"")

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for each, value in self.headers if each == name]


@dataclass(frozen=True)
class Tls:
    """A TLS connection over TCP; `alpn` is None if the server chose none."""

    version: str
    alpn: str | None
    chain: Chain | None
    resumed: bool


@dataclass(frozen=True)
class Tcp:
    """One address over TCP; `tls_fault` is OpenSSL's reason why TLS failed (`MUTE` if nothing came).
    `offered_h2` is the connection that offered h2 and http/1.1, as browsers do.
    `resumption`: whether a second connection with the first one's ticket resumed, by each attempt.
    `old_versions` are those under TLS 1.2 that the server accepts."""

    reached: Reached
    detail: str = ""
    tls_fault: str | None = None
    offered_h2: Tls | None = None
    h1: Answer | None = None
    h2: tuple[Answer, ...] = ()
    h2_settings: dict[str, int] | None = None
    old_versions: tuple[str, ...] | None = None
    resumption: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Quic:
    """One address over QUIC version 1 with ALPN h3. `versions` are those of the server's Version Negotiation
    packet, () if it sent none. `parameters` are its transport parameters, by qlog's names.
    `handshake_bytes` are of its TLS messages before the client's Finished. `early_data`: tickets allow 0-RTT.
    `tickets` came on all connections that `retried` counts; `resumption` is of attempts with a ticket.
    `closed`: the server ended the handshake; `alert` is its TLS alert if that was one. A handshake that
    failed without it may have failed in this client. `attempts` are the handshakes of the first meeting.
    `retried` is of connections without a token, `retried_with_token` of one with the server's."""

    reached: Reached
    detail: str = ""
    alert: int | None = None
    closed: bool = False
    attempts: int = 1
    versions: tuple[int, ...] | None = None
    retried: tuple[bool, ...] = ()
    retried_with_token: bool | None = None
    chain: Chain | None = None
    handshake_bytes: int | None = None
    parameters: dict[str, int] | None = None
    settings: dict[int, int] | None = None
    answers: tuple[Answer, ...] = ()
    tickets: int | None = None
    early_data: bool = False
    resumption: tuple[bool, ...] = ()


ANSWER_S = 6.0
"""How long a response may take."""

NO_RESPONSE = "no response in time"
"""What is said of a connection whose request got none."""

REJECTED = "a router or a filter on the way says so (ICMP)"
"""What is said of an address that is unreachable, though this host has a route."""

MUTE = "no answer"
"""What is said of a server that accepts TCP and then sends nothing."""


@dataclass(frozen=True)
class Address:
    """One of the host's addresses, over TCP and over UDP."""

    address: str
    tcp: Tcp
    quic: Quic


@dataclass(frozen=True)
class Record:
    """An HTTPS record in ServiceMode, or in AliasMode (priority 0); `alpn` has what it names beside http/1.1,
    which is the default."""

    priority: int
    target: str
    alpn: tuple[str, ...]
    no_default_alpn: bool
    port: int | None
    hints: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """What the resolver says. `addresses` are the system's (with its hosts file); `from_dns` those of A and
    AAAA records, None if they were not asked for. `records`, of the name `owner`, are None where the
    resolver gave no answer. `detail` says why there are no addresses, `records_detail` why no records."""

    addresses: tuple[str, ...]
    from_dns: tuple[str, ...] | None
    records: tuple[Record, ...] | None
    owner: str
    detail: str = ""
    records_detail: str = ""


@dataclass(frozen=True)
class Elsewhere:
    """What answered, over QUIC with the origin's name, where Alt-Svc or an HTTPS record leads. `addresses`
    are the host's: () if it has none, None if the resolver doesn't say."""

    host: str
    port: int
    addresses: tuple[str, ...] | None
    quic: Quic | None


@dataclass(frozen=True)
class Hinted:
    """An address that an HTTPS record of the origin's own name hints at, and no A or AAAA record names: how
    its port answers, over the protocol (`TCP` or `UDP`) that the record lets browsers use."""

    address: str
    port: int
    over: str
    reached: Reached


@dataclass(frozen=True)
class Datagrams:
    """Whether handshakes end whose client sends datagrams with `payload_bytes` of UDP payload. False: nothing
    came back. None: something did, or this host can't send them, or a router says so (ICMP)."""

    payload_bytes: int
    survived: bool | None


@dataclass(frozen=True)
class Early:
    """A request in 0-RTT data, whose connection the client then left unfinished. `answered_early`: the
    response came before the client's Finished. `answer` is the response, whenever it came."""

    method: str
    path: str
    accepted: bool
    answered_early: bool
    answer: Answer | None


@dataclass(frozen=True)
class Echo:
    """The headers that an application saw of a request over one protocol; names in small letters."""

    protocol: str
    headers: Headers

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for each, value in self.headers if each == name]


@dataclass(frozen=True)
class Forwarding:
    """What the echo endpoint answered; `forged` are the requests that claimed to come from
    `claimed`."""

    echoes: tuple[Echo, ...]
    forged: tuple[Echo, ...]
    claimed: str
    early: Echo | None = None


@dataclass(frozen=True)
class Facts:
    """All that was seen. The first of `addresses` that answered is `main`, which was looked at closely.
    `hops` are other hosts that were met before, and redirected."""

    target: Target
    now: datetime
    redirects: tuple[str, ...]
    names: Names
    addresses: tuple[Address, ...]
    main: Address
    elsewhere: tuple[Elsewhere, ...] = ()
    hinted: tuple[Hinted, ...] = ()
    datagrams: tuple[Datagrams, ...] = ()
    early: tuple[Early, ...] = ()
    forwarding: Forwarding | None = None
    requests: int = 0
    hops: tuple["Facts", ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
