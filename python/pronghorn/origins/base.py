"""What an origin is to a trial."""

from pathlib import Path
from typing import NamedTuple, Protocol

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.trial import OriginConnection, OriginRequest


class OriginLog(NamedTuple):
    """What an origin has seen since its start."""

    requests: list[OriginRequest]
    connections: list[OriginConnection]


class Origin(Protocol):
    """A server under test. It knows how to start in an engine's bench; the bench's end is its end."""

    async def start(self, engine: Engine, root: Path, certificates: Certificates, arm: Arm) -> int:
        """Starts serving the folder `root`; returns its port (TCP and UDP) when it is ready."""
        ...

    async def log(self, engine: Engine) -> OriginLog:
        """The requests and connections it has seen since its start."""
        ...

    def settings(self, arm: Arm) -> dict[str, str]:
        """What is known of the sending side of `arm` beyond what is read back, for the manifest."""
        ...
