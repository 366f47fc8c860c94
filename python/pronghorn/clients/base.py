"""What a client is to a trial."""

from pathlib import Path
from typing import NamedTuple, Protocol

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.expense import Expense
from pronghorn.model.knobs import Knobs
from pronghorn.model.load import LoadSettings
from pronghorn.model.trial import PageLoad
from pronghorn.origins.hosts import Placed
from pronghorn.runs.artifacts import Artifacts


class Visit(NamedTuple):
    """What a client is to load, and how.

    The document `document` (a path) of `host_name` at `address` and `port`, cut after `limit_s` seconds.
    `certificates` are the origin's, None where it is a live server; `authority` is the PEM file of the
    authority to trust, None where the system's are. With `dns` the name is to be
    resolved by the name server that the host's resolver names, across the path; without, the client knows
    the address. `folder` is empty, the client's own, and is removed after the trial. `knobs` are what is
    asked of the arm's transports. `clear_port` is where the origin listens without TLS, where the arm goes
    there; `load` what a client that makes loads is to make, and `seed` that of its random draws.
    `tolerate` are globs, over path and query, of the requests whose failure is not the load's. `placed`: the
    page is a recorded one, and its hosts are there."""

    host_name: str
    address: str
    port: int
    document: str
    certificates: Certificates | None
    arm: Arm
    limit_s: float
    dns: bool
    browser: BrowserSettings
    artifacts: Artifacts
    folder: Path
    authority: Path | None = None
    knobs: Knobs = Knobs()
    clear_port: int | None = None
    load: LoadSettings | None = None
    seed: int = 0
    tolerate: tuple[str, ...] = ()
    placed: Placed | None = None


class ClientFailed(Exception):
    """A client did not get ready, or ended or hung in mid-load: `reason` is a word for counting, the text the
    sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class ClientSession(Protocol):
    """A client that is ready to load: started, warmed up, nothing of it on the path yet."""

    async def prepare(self) -> None:
        """The unmeasured visit by which the state is gained that the arm asks for; afterwards its connections
        are closed. ClientFailed where the visit fails."""
        ...

    async def load(self) -> PageLoad:
        """One measured navigation. Called again, the client keeps what state it has."""
        ...

    async def close(self) -> None:
        """Ends it; what it was asked to leave as artifacts is written. The bench's end is its end too."""
        ...


class Client(Protocol):
    """What loads a page, from within an engine's bench."""

    warms_up: bool
    """Whether it does something in the bench before its measured load."""

    artifacts: tuple[str, ...]
    """The artifacts that it can write."""

    expense: Expense
    """What it costs beyond the engine."""

    takes_authority: bool
    """Whether it can trust another authority than the system's for a live server."""

    is_browser: bool
    """Whether it uses the experiment's settings of a browser."""

    replays: bool
    """Whether it can load a recorded page from all of its hosts."""

    def refusal(self, arm: Arm) -> str | None:
        """Why it can't honour `arm`, as the end of a sentence; None where it can."""
        ...

    def require(self) -> None:
        """HostError with the mend where this host lacks it."""
        ...

    async def open(self, engine: Engine, visit: Visit) -> ClientSession:
        """A client for a visit, ready; ClientFailed where it does not get there."""
        ...

    def identity(self) -> dict[str, str]:
        """For the manifest: `version` and what else could explain a result."""
        ...
