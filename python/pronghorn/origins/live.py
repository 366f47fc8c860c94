"""Somebody's live server as an origin, by its URL: nothing is started, and it keeps no log for us."""

import asyncio
import socket
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.origins.base import OriginFailed, OriginLog, OriginSetup

HTTPS = 443


class Target(NamedTuple):
    """Where a client finds the page: the server's name, address and port, the document's path with its
    query."""

    host_name: str
    address: str
    port: int
    document: str


class Live:
    """The server of a URL. `authority` is the PEM text of the authority that vouches for it, None where one
    of the system's does."""

    def __init__(self, url: str, authority: str | None) -> None:
        self._url = url
        self._authority = authority

    def refusal(self, arm: Arm) -> str | None:
        """It can be told nothing: neither its congestion control nor what it puts into the name service."""
        if arm.control_asked is not None:
            return "a live server chooses its congestion control itself"
        if arm.clear:
            return "a live server is measured over https:// only"
        return None

    def replay_refusal(self) -> str | None:
        """It serves the files of a folder."""
        return "it serves the files of one host"

    def event_refusal(self, do: str) -> str | None:  # noqa: ARG002
        """Nothing is done to it."""
        return "it is somebody else's server"

    def require(self) -> None:
        """It needs nothing of this host."""

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningLive":  # noqa: ARG002
        """Looks the server's name up; OriginFailed where it has no address."""
        parts = urlsplit(self._url)
        host, port = parts.hostname or "", parts.port or HTTPS
        document = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        file = None
        if self._authority is not None:
            file = setup.folder / "authority.pem"
            file.write_text(self._authority, encoding="utf-8")
        return RunningLive(Target(host, await _address(host, port), port, document), file)

    def settings(self, arm: Arm) -> dict[str, str]:  # noqa: ARG002
        """Nothing is known of it."""
        return {}

    def identity(self) -> dict[str, str]:
        """Its version is its owner's affair."""
        return {"version": "unknown", "proof": "by the client only: a live server's log is not ours"}


class RunningLive:
    """A live server that has an address. `authority` is the PEM file of the authority to trust, None: the
    system's."""

    def __init__(self, target: Target, authority: Path | None) -> None:
        self.target = target
        self.authority = authority
        self.port = target.port

    async def log(self) -> OriginLog:
        """None is kept for us."""
        return OriginLog([], [], kept=False)

    async def cpu_s(self) -> float | None:
        """It is somebody else's."""
        return None

    async def ended(self) -> str | None:
        """Nobody tells us."""
        return None

    def last_lines(self) -> str:
        """It says nothing to us."""
        return ""


async def _address(host: str, port: int) -> str:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise OriginFailed(f"the name '{host}' could not be resolved: {error.strerror}") from error
    return str(found[0][4][0])
