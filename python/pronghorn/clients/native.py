"""The engine's own page loader."""

from typing import Any

from pronghorn import __version__
from pronghorn.clients.base import ClientFailed, Visit
from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.artifacts import QLOG
from pronghorn.model.expense import NOTHING
from pronghorn.model.trial import PageLoad
from pronghorn.origins.hosts import Placed
from pronghorn.sites.replay.steps import FILE

_GRACE_S = 30.0


class Native:
    """The native page loader."""

    warms_up = False
    expense = NOTHING
    artifacts: tuple[str, ...] = (QLOG,)
    takes_authority = True
    is_browser = False
    replays = True

    def refusal(self, arm: Arm) -> str | None:
        """It speaks the protocol that it is told to, and has no cache."""
        if arm.discovery != "forced":
            return "it speaks only the protocol that the arm names, and discovers no other"
        if arm.clear:
            return "it loads pages over TLS only"
        return "it has no cache" if arm.warm else None

    def require(self) -> None:
        """It comes with the engine."""

    async def open(self, engine: Engine, visit: Visit) -> "NativeSession":
        """Nothing needs to be started."""
        return NativeSession(engine, visit)

    def identity(self) -> dict[str, str]:
        """The version is the engine's."""
        return {"version": __version__}


class NativeSession:
    """The loader's state within a bench: the engine keeps the tickets."""

    def __init__(self, engine: Engine, visit: Visit) -> None:
        self._engine = engine
        self._visit = visit

    async def prepare(self) -> None:
        """An ordinary load, whose tickets the engine keeps."""
        page = await self._load("gain")
        if page.outcome != "ok":
            raise ClientFailed("prepare", f"the unmeasured visit failed: {page.reason}: {page.detail}")

    async def load(self) -> PageLoad:
        """One navigation; an engine that has not cut it half a minute after its limit is given up."""
        arm = self._visit.arm
        if not arm.prepared:
            return await self._load("cold")
        return await self._load("0rtt" if arm.early_data else "resumed")

    async def close(self) -> None:
        """Nothing of it goes on."""

    async def _load(self, session: str) -> PageLoad:
        visit = self._visit
        folder = None if session == "gain" else visit.artifacts.file(QLOG)
        knobs = visit.knobs.of_client(visit.arm)
        asked: dict[str, Any] = {"knobs": knobs} if knobs else {}
        if visit.placed is not None:
            asked["recorded"] = _recorded(visit.placed, visit.arm)
        if visit.tolerate:
            asked["tolerate"] = list(visit.tolerate)
        ok = await self._engine.request(
            "load",
            patience_s=visit.limit_s + _GRACE_S,
            host_name=visit.host_name,
            document=visit.document,
            address=visit.address,
            port=visit.port,
            protocol=visit.arm.protocol,
            tls=visit.arm.tls_version,
            session=session,
            ca=str(visit.authority) if visit.authority else None,
            quic_stack=visit.arm.stack,
            congestion_control=visit.arm.controls,
            limit_s=visit.limit_s,
            qlog=str(folder) if folder else None,
            **asked,
        )
        return PageLoad.model_validate(ok)


def _recorded(placed: Placed, arm: Arm) -> dict[str, Any]:
    """What the engine is to load of a recorded page, and of whom."""
    hosts = [
        {"name": host.name, "address": placed.address(host.name), "protocol": host.speaks(arm.protocol)}
        for host in placed.replay.hosts.values()
    ]
    return {"requests": str(placed.replay.root / FILE), "hosts": hosts, "compute": placed.compute}
