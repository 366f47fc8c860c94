"""Loads of a live page over h2 and h3, by turns, with our own page loader."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pronghorn.clients.base import ClientFailed
from pronghorn.clients.base import Visit as Asked
from pronghorn.clients.native import NativeSession
from pronghorn.engine import Engine
from pronghorn.evidence import qlog
from pronghorn.evidence.tcp import Watch
from pronghorn.model import arm as arms
from pronghorn.model.artifacts import QLOG
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.knobs import Knobs
from pronghorn.model.trial import PageLoad
from pronghorn.runs.artifacts import Artifacts
from pronghorn.traps.facts import Protocol, Tickets, Visit

CHROMIUM = Knobs(stream_window=6 * 2**20, connection_window=15 * 2**20)
"""The windows that Chromium gives (`kQuicStreamMaxRecvWindowSize`, `kQuicSessionMaxRecvWindowSize`,
`kSpdyStreamMaxRecvWindowSize` are 6 MB, 15 MB and 6 MB): what bounds this client bounds browsers."""

MOST_TRIES = 4
"""How often a visit is made that a busy machine spoils."""

_SPOILT = 0.1
"""Of a load: by how much waits for a CPU may have delayed it. Twice what `trust.guard` allows a trial, for
nothing finer than a fifth is concluded here."""

_SPOILT_S = 0.005
"""Shorter waits spoil nothing: a load of a few milliseconds is no slow one."""


_OWN = 0.1
"""Of what never came: where this machine dropped more itself, the network's losses aren't known."""

_SNMP, _SNMP6 = Path("/proc/net/snmp"), Path("/proc/net/snmp6")


class Place(NamedTuple):
    """What is loaded from where: the name in URLs and TLS, the addresses and ports of either transport, and
    the only authority to trust (None: the system's), and TCP's congestion control here."""

    host: str
    document: str
    address: str
    port: int
    quic_address: str
    quic_port: int
    authority: Path | None
    limit_s: float
    control: str


class Visits:
    """Loads by one engine. `folder` takes what they leave; `say` is told what is done."""

    def __init__(self, engine: Engine, place: Place, folder: Path, say: Callable[[str], None]) -> None:
        self._engine = engine
        self._place = place
        self._folder = folder
        self._say = say
        self._made = 0
        self.spoilt = 0

    async def load(self, protocol: Protocol) -> Visit:
        """One load that a busy machine didn't spoil, or the last of several."""
        for turn in range(MOST_TRIES):
            one = await self._once(protocol)
            if not one.spoilt:
                break
            self.spoilt += 1
            if turn + 1 < MOST_TRIES:
                self._say(f"{protocol}: the machine was busy, once more")
        return one

    async def tickets(self) -> Tickets:
        """Two connections over h3, the second with what the first left; once more where there was nothing."""
        found = await self._resumed()
        return found if found.resumed is not False else await self._resumed()

    async def _resumed(self) -> Tickets:
        session = self._session("h3+0rtt", wanted=())
        try:
            await session.prepare()
        except ClientFailed as error:
            # The loader's own word for a server that gave nothing to resume.
            nothing = ": session:" in str(error)
            return Tickets(False if nothing else None, given=False if nothing else None)
        page = await session.load()
        first = next(iter(page.connections), None)
        if page.outcome != "ok" or first is None or first.resumed is None:
            return Tickets(None)
        return Tickets(first.resumed, first.early_data == "accepted", given=True)

    async def _once(self, protocol: Protocol) -> Visit:
        arm = f"h2@{self._place.control}" if protocol == "h2" else protocol
        session = self._session(arm, wanted=(QLOG,))
        if protocol == "h2":
            async with Watch(self._place.address, self._place.port) as watch:
                page = await session.load()
            return Visit("h2", page, disordered=watch.disordered, spoilt=_is_spoilt(page))
        before = _dropped()
        page = await session.load()
        dropped = max(_dropped() - before, 0)
        folder = self._folder / str(self._made) / "qlog"
        logs = sorted(folder.iterdir()) if folder.exists() else []
        begun = Visit("h3", page, spoilt=_is_spoilt(page), dropped_here=dropped)
        if not begun.shook or not logs or page.started_monotonic_s is None:
            return begun
        log = qlog.read(logs[0])
        since_s = (log.base_monotonic_s or page.started_monotonic_s) - page.started_monotonic_s
        found = qlog.flow(log, since_s, page.bytes or None)
        told = page.connections[0].settings if page.connections else {}
        stream, whole = told.get("stream_window"), told.get("connection_window")
        if isinstance(stream, int) and isinstance(whole, int):
            found = found._replace(windows=(stream, whole))
        if dropped and dropped >= _OWN * found.lost:
            found = found._replace(lost_runs=None, lost_at_s=())
        return dataclasses.replace(begun, flow=found)

    def _session(self, arm: str, wanted: tuple[str, ...]) -> NativeSession:
        self._made += 1
        place, quic = self._place, arm.startswith("h3")
        return NativeSession(
            self._engine,
            Asked(
                host_name=place.host,
                address=place.quic_address if quic else place.address,
                port=place.quic_port if quic else place.port,
                document=place.document,
                certificates=None,
                arm=arms.parse(arm),
                limit_s=place.limit_s,
                dns=False,
                browser=BrowserSettings(),
                artifacts=Artifacts(self._folder, Path(str(self._made)), wanted),
                folder=self._folder,
                authority=place.authority,
                knobs=CHROMIUM,
            ),
        )


def _dropped() -> int:
    """Datagrams that this host's sockets had no room for, until now (snmp_counter.rst, RcvbufErrors)."""
    total = 0
    for file, name in ((_SNMP, "Udp:"), (_SNMP6, "Udp6RcvbufErrors")):
        try:
            rows = [row.split() for row in file.read_text(encoding="ascii", errors="replace").splitlines()]
        except OSError:
            continue
        own = [row[1:] for row in rows if row and row[0] == name]
        if name == "Udp:" and len(own) == 2:
            own = [[dict(zip(*own, strict=False)).get("RcvbufErrors", "0")]]
        total += sum(int(row[0]) for row in own if row and row[0].isdecimal())
    return total


def _is_spoilt(page: PageLoad) -> bool:
    client = page.cpu.client
    if client is None or client.critical_s is None or page.load_s is None:
        return False
    return client.critical_s > max(_SPOILT * page.load_s, _SPOILT_S)
