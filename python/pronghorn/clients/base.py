"""What a client is to a trial."""

from typing import Protocol

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.trial import PageLoad


class Client(Protocol):
    """What loads a page, from within an engine's bench."""

    async def load(
        self,
        engine: Engine,
        *,
        port: int,
        document: str,
        certificates: Certificates,
        arm: Arm,
        limit_s: float,
    ) -> PageLoad:
        """One navigation to `document` of the origin at `port`, cut after `limit_s` seconds."""
        ...
