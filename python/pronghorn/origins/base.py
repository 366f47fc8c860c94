"""What an origin is to a trial."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.knobs import Knobs
from pronghorn.model.trial import OriginConnection, OriginRequest
from pronghorn.origins.counts import Counts
from pronghorn.origins.hosts import Placed

Tickets = Mapping[str, Mapping[str, int]]
"""By transport (`tcp`, `quic`), how many session tickets were `redeemed`, `replayed` and `unknown`."""


class OriginLog(NamedTuple):
    """What an origin has seen since its start. One that keeps no log (`kept` is false) proves nothing: what
    was measured is then known by the client alone. `tickets` are empty where it doesn't tell of them. Where
    only counts were wanted and the origin counts itself, `counts` holds all requests and `requests` none."""

    requests: list[OriginRequest]
    connections: list[OriginConnection]
    kept: bool = True
    tickets: Tickets = MappingProxyType({})
    counts: Counts | None = None


class OriginSetup(NamedTuple):
    """What an origin is to serve, and where.

    `root` is the site's folder; `headers` go on every response, and `document_headers` on HTML documents in
    the place of those of the same name; `folder` is empty, the origin's own for its
    configuration and logs, and is removed after the trial; `address` and `port` (TCP and UDP) are on the
    server's host, port 0 where the origin may choose one itself; clients call it `host_name`. QUIC takes
    0-RTT data only where the arm asks for it. `qlog` is the folder in which an origin that can leaves a qlog
    of each QUIC connection; None: none is wanted. `knobs` are what is asked of the arm's transports.
    `clear_port` is where it listens without TLS, for an arm that goes there. With `counts` the log is only
    asked how many requests it has of each kind. `placed`: the site is a recorded one, `root` holds what was
    recorded, each host is served at its own address, and `headers` are not added. `events` are what will be
    done to it (`model.events.ACTIONS`)."""

    root: Path
    certificates: Certificates
    arm: Arm
    headers: Mapping[str, str]
    folder: Path
    address: str
    port: int
    host_name: str = HOST_NAME
    qlog: Path | None = None
    knobs: Knobs = Knobs()
    clear_port: int = 80
    counts: bool = False
    document_headers: Mapping[str, str] = MappingProxyType({})
    placed: Placed | None = None
    events: frozenset[str] = frozenset()


class OriginFailed(Exception):
    """An origin did not start, or ended early: the sentence why, with its last log lines."""


class RunningOrigin(Protocol):
    """An origin that has proved ready. The bench's end is its end."""

    @property
    def port(self) -> int:
        """Where it listens, TCP and UDP."""
        ...

    async def log(self) -> OriginLog:
        """The requests and connections it has seen since its start."""
        ...

    async def cpu_s(self) -> float | None:
        """CPU time that it has used since its start, in seconds; None where that isn't known."""
        ...

    async def ended(self) -> str | None:
        """That it serves no more, as a clause: a process of it has ended. None while it serves."""
        ...

    def last_lines(self) -> str:
        """The end of what it said of faults, for people; empty where it said nothing."""
        ...


class Origin(Protocol):
    """A server under test."""

    def refusal(self, arm: Arm) -> str | None:
        """Why it can't honour `arm`, as the end of a sentence ('QUIC's congestion control is …'); None where
        it can."""
        ...

    def replay_refusal(self) -> str | None:
        """Why it can't serve recorded sites, as the end of a sentence; None where it can."""
        ...

    def event_refusal(self, do: str) -> str | None:
        """Why an event (`model.events.ACTIONS`) can't be done to it, as the end of a sentence; None where it
        can."""
        ...

    def require(self) -> None:
        """HostError with the mend where this host lacks the server, or InputError where its configuration
        can't be read."""
        ...

    async def start(self, engine: Engine, setup: OriginSetup) -> RunningOrigin:
        """Starts it on the server's host and returns when it is ready; OriginFailed where it does not get
        there."""
        ...

    def settings(self, arm: Arm) -> dict[str, str]:
        """What is known of the sending side of `arm` beyond what is read back, for the manifest."""
        ...

    def identity(self) -> dict[str, str]:
        """For the manifest: `version`, and `configuration` where it has one, as text."""
        ...
