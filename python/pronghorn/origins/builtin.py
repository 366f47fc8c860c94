"""The origin inside the engine: h1 and h2 over the kernel's TCP, h3 over quinn or s2n-quic, one process."""

import time
from typing import Any

from pronghorn import __version__
from pronghorn.engine import Engine
from pronghorn.model.arm import QUINN, S2N, STACK_PROGRAMS, Arm
from pronghorn.model.events import KILL_WORKER, RELOAD
from pronghorn.model.trial import OriginConnection, OriginRequest
from pronghorn.origins import kernel_tcp
from pronghorn.origins.base import OriginLog, OriginSetup
from pronghorn.origins.counts import Count, Counts, Kind, add
from pronghorn.origins.events import ONE_PROCESS
from pronghorn.origins.hosts import Placed
from pronghorn.sites.hosts import Replay

_INITIAL_WINDOWS = {
    (QUINN, "cubic"): "12000 bytes (quinn-proto 0.11)",
    (QUINN, "newreno"): "12000 bytes (quinn-proto 0.11)",
    (QUINN, "bbr"): "240000 bytes (quinn-proto 0.11)",
    (S2N, "cubic"): "12000 bytes (s2n-quic 1.72)",
    (S2N, "bbr2"): "12000 bytes (s2n-quic 1.72)",
}
"""Of each QUIC stack's controls."""

_SLOW_START = {
    (S2N, "cubic"): kernel_tcp.UNTIL_QUEUE,
    (S2N, "bbr2"): kernel_tcp.UNTIL_PLATEAU,
    (QUINN, "bbr"): kernel_tcp.UNTIL_PLATEAU,
}
"""What ends slow start, other than a loss alone."""


class Builtin:
    """The built-in origin."""

    def refusal(self, arm: Arm) -> str | None:  # noqa: ARG002
        """It honours every arm."""
        return None

    def replay_refusal(self) -> str | None:
        """It serves every recorded site."""
        return None

    def event_refusal(self, do: str) -> str | None:
        """It can be reloaded."""
        if do == RELOAD:
            return None
        return ONE_PROCESS if do == KILL_WORKER else "it is a part of the engine and ends with it"

    def require(self) -> None:
        """It comes with the engine."""

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningBuiltin":
        """Starts it on the port of the setup."""
        knobs = setup.knobs.of_origin(setup.arm)
        asked: dict[str, Any] = {"knobs": knobs} if knobs else {}
        if setup.arm.clear:
            asked["clear_port"] = setup.clear_port
        if setup.document_headers:
            asked["document_headers"] = dict(setup.document_headers)
        if setup.counts:
            asked["log"] = "counts"
        if setup.placed is not None:
            asked["recorded"] = _recorded(setup.placed)
        ok = await engine.request(
            "origin",
            root=str(setup.root),
            port=setup.port,
            certificate=str(setup.certificates.chain),
            key=str(setup.certificates.key),
            quic_stack=setup.arm.stack,
            congestion_control=setup.arm.controls,
            headers={} if setup.placed is not None else dict(setup.headers),
            early_data=setup.arm.early_data,
            qlog=str(setup.qlog) if setup.qlog else None,
            **asked,
        )
        replay = setup.placed.replay if setup.placed else None
        return RunningBuiltin(engine, int(ok["port"]), counts=setup.counts, replay=replay)

    def identity(self) -> dict[str, str]:
        """The version is the engine's; it has no configuration."""
        return {"version": __version__}

    def settings(self, arm: Arm) -> dict[str, str]:
        """The transport, its initial window and what ends slow start, as the kernel and the QUIC stack ship
        them."""
        control = arm.congestion_control
        if not arm.over_quic:
            return kernel_tcp.settings(control)
        return {
            "transport": STACK_PROGRAMS[arm.stack],
            "congestion_control": control,
            "initial_window": _INITIAL_WINDOWS[arm.stack, control],
            "slow_start_until": _SLOW_START.get((arm.stack, control), kernel_tcp.UNTIL_LOSS),
        }


class RunningBuiltin:
    """The built-in origin in a bench."""

    def __init__(
        self, engine: Engine, port: int, *, counts: bool = False, replay: Replay | None = None
    ) -> None:
        self._engine = engine
        self._replay = replay
        self._counts = counts
        self.port = port

    async def log(self) -> OriginLog:
        """Its access log."""
        ok = await self._engine.request("origin_log")
        return OriginLog(
            [self._request(entry) for entry in ok["requests"]],
            [OriginConnection.model_validate(entry) for entry in ok.get("connections", [])],
            tickets=ok.get("tickets", {}),
            counts=_counts(ok["counts"]) if self._counts else None,
        )

    def _request(self, entry: dict[str, Any]) -> OriginRequest:
        """An entry of the log, by the path that records have of it."""
        if self._replay is not None:
            entry = {**entry, "path": self._replay.named(entry["host"], entry["path"])}
        return OriginRequest.model_validate(entry)

    async def perform(self, do: str) -> float:  # noqa: ARG002
        """A reload: connections finish their requests and end."""
        began_s = time.monotonic()
        await self._engine.request("reload")
        return began_s

    async def cpu_s(self) -> float | None:
        """That of the thread that serves."""
        told = (await self._engine.request("origin_log")).get("cpu_s")
        return None if told is None else float(told)

    async def ended(self) -> str | None:
        """It ends with the engine."""
        return None

    def last_lines(self) -> str:
        """It says nothing of faults: the engine does."""
        return ""


def _recorded(placed: Placed) -> dict[str, Any]:
    """How the engine serves a recorded site."""
    faces = [
        {
            "address": place.address,
            "certificate": str(place.leaf.chain),
            "key": str(place.leaf.key),
            "h2": place.face.h2,
            "h3": place.face.h3,
        }
        for place in placed.places
    ]
    return {"faces": faces, "think": placed.think}


def _counts(told: list[dict[str, Any]]) -> Counts:
    """The engine's counts, early or not and cut off or not put together."""
    found: dict[Kind, Count] = {}
    for one in told:
        add(found, Kind(None, one["protocol"], one["status"]), one["requests"], one["bytes"])
    return found
