"""A stage: a bench with an origin and a client on it, ready for a measured load."""

import asyncio
import contextlib
import json
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pronghorn import clients, origins
from pronghorn.certificates import HOST_NAME, Certificates, Leaf
from pronghorn.clients import ClientFailed, ClientSession, Visit
from pronghorn.clients.load import warm_up
from pronghorn.clients.native import NativeSession
from pronghorn.costs import cell_cost, cost
from pronghorn.engine import PATIENCE_S, Engine, EngineDied, EngineError
from pronghorn.errors import HostError
from pronghorn.execute import beside, turns
from pronghorn.execute.origin_notes import WARM_UP, OriginNotes
from pronghorn.knobs import effective
from pronghorn.model.arm import Arm
from pronghorn.model.artifacts import FLIGHT, PCAPNG, QLOG
from pronghorn.model.background import Background
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import Knobs
from pronghorn.model.load import CLIENT
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import Cell, Counters, CpuSeconds, CpuShare, OriginCount, PageLoad
from pronghorn.origins import OriginFailed, OriginLog, OriginSetup, RunningOrigin, exhaustion
from pronghorn.origins.hosts import Place, Placed
from pronghorn.origins.live import RunningLive, Target
from pronghorn.runs.artifacts import Artifacts
from pronghorn.sites.hosts import Face, Replay
from pronghorn.trust import guard, time_parts

BUILTIN = "builtin"

_WARM_UP_S = 10.0

HTTPS, HTTP = 443, 80
"""The origin's ports on a bench, whose hosts have all ports to themselves."""

_CAPTURE_PATIENCE_S = 600.0
"""When its bench closes, a capture is sorted at the disk's speed, and arrivals are decrypted."""

_FLIGHT_INTERVAL_S = 0.01
"""The interval at which connections are sampled for a flight."""

_FAREWELL_S = 5.0
"""The time that an abandoned client gets to end."""


class Site(NamedTuple):
    """A built site: its folder, the document that is navigated to, what it weighs in bytes on the wire, and
    what the manifest says of it. `replay` are the hosts of a recorded one, `leaves` the certificates of its
    faces."""

    root: Path
    document: str
    total_bytes: int
    notes: Mapping[str, Any] = MappingProxyType({})
    replay: Replay | None = None
    leaves: tuple[Leaf, ...] = ()

    @property
    def faces(self) -> tuple[Face, ...]:
        """The addresses that a recorded site needs; none for any other."""
        return self.replay.faces if self.replay is not None else ()


class Plot(NamedTuple):
    """What a stage is built of: one arm in one cell of an experiment. Neither `folder` nor `memory` need
    exist; what origin and client write goes there, the client's to `memory` where it is given, and whoever
    made the stage removes it. What takes much CPU time at its start starts with `starting` in its hand:
    clients, and loads of many requests with their stages."""

    experiment: Experiment
    cell: Cell
    arm: Arm
    site: Site
    certificates: Certificates
    artifacts: Artifacts
    folder: Path
    starting: asyncio.Lock | None = None
    memory: Path | None = None

    def remove(self) -> None:
        """Removes what origin and client wrote."""
        for folder in (self.folder, self.memory):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def knobs(self) -> Knobs:
        """What is asked of the arm's transports."""
        return effective.of_arm(self.experiment, self.cell, self.arm)


class Measurement(NamedTuple):
    """What came out of one load on a stage, but for the counters. Where the client made a load of many
    requests, the origin's log is `counts` and its requests are left out; so are those of a load that ran
    beside a page load, `background`."""

    page: PageLoad
    log: OriginLog
    cpu: CpuSeconds = CpuSeconds()
    counts: Sequence[OriginCount] = ()
    background: LoadReport | None = None


class Stage:
    """One bench, from its opening to its close. Whatever fails of origin and client is an outcome, a failed
    PageLoad; what fails of the bench raises EngineError or EngineDied."""

    def __init__(self, engine: Engine, plot: Plot) -> None:
        self._engine = engine
        self._plot = plot
        self._notes: OriginNotes | None = None
        self._client: ClientSession | None = None
        self._seed = 0
        self._visit: Visit | None = None
        self._fault: PageLoad | None = None
        self._share: CpuShare | None = None
        self._begun = False

    @property
    def plot(self) -> Plot:
        """What it was built of."""
        return self._plot

    async def open(self, seed: int) -> None:
        """Opens the bench, whose path's decisions follow from `seed`, starts the origin and makes the client
        ready, after its unmeasured visit where the arm asks for one."""
        async with self._turn or contextlib.nullcontext():
            await self._open(seed)

    async def _open(self, seed: int) -> None:
        plot = self._plot
        self._seed = seed
        path = plot.experiment.path(plot.cell.path)
        capture = plot.artifacts.file(PCAPNG)
        asked: dict[str, object] = {"warm_up": True} if self._warms_up else {}
        if plot.artifacts.file(FLIGHT):
            asked["flight"] = {"interval_s": _FLIGHT_INTERVAL_S}
        if (arrivals := time_parts.file_of(plot)) is not None:
            asked["arrivals"] = str(arrivals)
        if plot.site.faces:
            asked["further_addresses"] = [{"delay_ns": face.delay_ns} for face in plot.site.faces]
        asked |= effective.of_bench(plot.experiment, plot.cell, plot.arm)
        opened = await self._engine.request(
            "open",
            path=path.spec.to_engine() if path.spec else None,
            seed=seed,
            tcp_congestion_control=plot.arm.controls["tcp"],
            capture=str(capture) if capture else None,
            patience_s=PATIENCE_S + cost.warmup_s(path),
            **asked,
        )
        try:
            further = opened["further_addresses"] if plot.site.faces else ()
            await self._make_ready(str(opened["server_address"]), placed(plot, further))
        except OriginFailed as failure:
            self._fault = failed("origin", str(failure))
        except ClientFailed as failure:
            self._fault = failed(failure.reason, self._with_last_lines(str(failure)))

    async def load(self, seed: int) -> Measurement:
        """One measured navigation; where the client did something before, the path begins anew with `seed`
        first."""
        if self._fault is not None or self._client is None or self._notes is None:
            return Measurement(self._fault or failed("client", "there is no client"), OriginLog([], []))
        try:
            # What waits for its turn begins with it: neither its path nor its host's counters run meanwhile.
            async with turns.beginning(self._turn, self._burst_s) as begins:
                if self._warms_up:
                    await self._begin(self._notes, seed)
                begins()
                return await self._load(self._notes, self._client)
        except OriginFailed as failure:
            self._fault = failed("origin", str(failure))
            return Measurement(self._fault, OriginLog([], []))

    async def _load(self, notes: OriginNotes, client: ClientSession) -> Measurement:
        if (background := self._plot.experiment.background) is not None:
            return await self._load_beside(background, notes, client)
        page, cpu = await self._page(notes.origin, client)
        if self._makes_loads:
            log, counts = await notes.of_load(page)
            return Measurement(page, log, cpu, counts)
        return Measurement(page, await notes.of_page(page), cpu)

    async def _page(self, origin: RunningOrigin, client: ClientSession) -> tuple[PageLoad, CpuSeconds]:
        if self._engine.virtual:
            guest_s = self._engine.cpu_s() or 0.0
            loaded = await self._loaded(client)
            cpu = CpuSeconds(guest_s=max(0.0, (self._engine.cpu_s() or 0.0) - guest_s))
            return await self._explained(loaded, origin), cpu
        before_s = None if self._tells_cpu else await origin.cpu_s()
        loaded = await self._loaded(client)
        cpu = await self._cpu(loaded, origin, before_s)
        return await self._explained(loaded, origin), cpu

    async def _load_beside(
        self, background: Background, notes: OriginNotes, client: ClientSession
    ) -> Measurement:
        """As `load`, while another load runs over the same path."""
        assert self._visit is not None
        ours = await beside.start(self._engine, self._visit, background)
        page, cpu = await self._page(notes.origin, client)
        report = await beside.stop(self._engine)
        log = await notes.of_page(page)
        requests, counts = beside.apart(log.requests, ours, page)
        return Measurement(page, log._replace(requests=requests), cpu, counts, report)

    @property
    def spent(self) -> bool:
        """Whether its origin or client failed, so that every further load would only say so again."""
        return self._fault is not None

    async def counters(self) -> Counters:
        """The counters since the last load began; those of the CPUs end with the load."""
        return self._with_share(Counters.model_validate(await self._engine.request("counters")))

    async def close(self) -> Counters:
        """Ends client, origin and bench, whose counters it gives as `counters` does; HostError where an
        artifact could not be written."""
        if self._client is not None:
            await self._client.close()
        await self._keep_flight()
        written = self._plot.artifacts.file(PCAPNG) or time_parts.file_of(self._plot)
        patience_s = _CAPTURE_PATIENCE_S if written else PATIENCE_S
        counters = Counters.model_validate(await self._engine.request("close", patience_s=patience_s))
        if counters.capture and counters.capture.fault:
            raise _unwritten(counters.capture.fault)
        if counters.arrivals and counters.arrivals.fault:
            raise _unwritten(counters.arrivals.fault)
        if counters.qlog and counters.qlog.fault:
            raise _unwritten(counters.qlog.fault)
        return self._with_share(counters)

    async def _keep_flight(self) -> None:
        """Writes what the connections did over time, where that is wanted. There is none of a path which no
        load came to."""
        file = self._plot.artifacts.file(FLIGHT)
        if file is None or (self._warms_up and not self._begun):
            return
        flight = await self._engine.request("flight")
        try:
            file.write_text(json.dumps(flight, separators=(",", ":")), encoding="utf-8")
        except OSError as error:
            raise _unwritten(f"{file}: {error.strerror}") from error

    async def abandon(self) -> None:
        """Ends the client, whatever state it is in. The rest ends with the engine's bench."""
        if self._client is None:
            return
        with contextlib.suppress(ClientFailed, EngineError, EngineDied, OSError, TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await self._client.close()

    @property
    def _warms_up(self) -> bool:
        plot = self._plot
        experiment = plot.experiment
        client = clients.of(experiment, plot.cell.client)
        before = plot.arm.prepared or client.warms_up or self._foreign or self._turn is not None
        return experiment.kept or before

    @property
    def _makes_loads(self) -> bool:
        return self._plot.cell.client == CLIENT

    @property
    def _burst_s(self) -> float:
        plot = self._plot
        return cell_cost.burst_s(plot.experiment, plot.cell, plot.arm, plot.site.total_bytes)

    @property
    def _turn(self) -> asyncio.Lock | None:
        return self._plot.starting if self._burst_s else None

    @property
    def _foreign(self) -> bool:
        """Whether the origin is a process of its own that starts with the stage."""
        return self._plot.cell.origin != BUILTIN and not self._plot.experiment.live

    async def _begin(self, notes: OriginNotes, seed: int) -> None:
        path = self._plot.experiment.path(self._plot.cell.path)
        await notes.begin()
        await self._engine.request("begin", seed=seed, patience_s=PATIENCE_S + cost.warmup_s(path))
        self._begun = True

    @property
    def _tells_cpu(self) -> bool:
        """Whether a load itself tells what the origin used: the engine has both ends."""
        return self._plot.cell.origin == BUILTIN and isinstance(self._client, NativeSession)

    async def _cpu(self, page: PageLoad, origin: RunningOrigin, before_s: float | None) -> CpuSeconds:
        """What client and origin used in a load that ended just now, before which the origin had used
        `before_s`."""
        client, served = page.cpu.client, page.cpu.origin
        origin_s = served.used_s if served else None
        if before_s is not None and (after_s := await origin.cpu_s()) is not None:
            origin_s = max(0.0, after_s - before_s)
        return CpuSeconds(client_s=client.used_s if client else page.processes_cpu_s, origin_s=origin_s)

    async def _loaded(self, client: ClientSession) -> PageLoad:
        try:
            page = await client.load()
        except ClientFailed as failure:
            page = self._fault = failed(failure.reason, self._with_last_lines(str(failure)))
        self._share = await self._cpu_share() if guard.foreign(page) else None
        return page

    async def _explained(self, page: PageLoad, origin: RunningOrigin) -> PageLoad:
        """A load, which failed because of its origin where that has ended, or had no room for another
        connection."""
        if page.outcome == "ok":
            return page
        if (ended := await origin.ended()) is None:
            lack = exhaustion.hint(origin.last_lines())
            return page.model_copy(update={"detail": f"{page.detail}; {lack}"}) if lack else page
        saw = f"the client saw: {page.reason}: {page.detail}"
        detail = self._with_last_lines(f"{ended} during the load; {saw}")
        self._fault = page.model_copy(update={"reason": "origin", "detail": detail})
        return self._fault

    async def _cpu_share(self) -> CpuShare | None:
        host = Counters.model_validate(await self._engine.request("counters")).host
        return host.cpu if host else None

    def _with_share(self, counters: Counters) -> Counters:
        if counters.host is not None and self._share is not None:
            counters.host.cpu = self._share
        return counters

    async def _make_ready(self, address: str, placed: Placed | None) -> None:
        plot = self._plot
        experiment = plot.experiment
        isolated = experiment.path(plot.cell.path).spec is not None
        port, clear_port = (HTTPS, HTTP) if isolated else (_free_port(), _free_port())
        origin = await origins.of(experiment, plot.cell.origin).start(
            self._engine,
            OriginSetup(
                root=plot.site.root,
                certificates=plot.certificates,
                arm=plot.arm,
                headers=_headers(experiment, port),
                document_headers=experiment.document_headers,
                folder=_made(plot.folder / "origin"),
                address=address,
                port=port,
                qlog=plot.artifacts.file(QLOG),
                knobs=plot.knobs,
                clear_port=clear_port,
                counts=self._makes_loads,
                placed=placed,
            ),
        )
        self._notes = OriginNotes(origin, self._engine)
        if experiment.dns:
            await self._engine.request("dns", records=_records(plot.arm, address, placed))
        target = Target(HOST_NAME, address, origin.port, plot.site.document)
        if placed is not None:
            page = placed.replay.page
            target = Target(page, placed.address(page), HTTPS, plot.site.document)
        certificates: Certificates | None = plot.certificates
        authority: Path | None = plot.certificates.authority
        if isinstance(origin, RunningLive):
            target, certificates, authority = origin.target, None, origin.authority
        visit = Visit(
            **target._asdict(),
            certificates=certificates,
            arm=plot.arm,
            limit_s=experiment.limit_of(plot.cell.client),
            dns=experiment.dns,
            browser=experiment.browser,
            artifacts=plot.artifacts,
            folder=_made((plot.memory or plot.folder) / "client"),
            authority=authority,
            knobs=plot.knobs,
            clear_port=clear_port if plot.arm.clear else None,
            load=experiment.load if self._makes_loads else None,
            seed=self._seed,
            tolerate=experiment.tolerate,
            placed=placed,
        )
        self._visit = visit
        if self._foreign:
            await self._warm_up(visit)
        client = clients.of(experiment, plot.cell.client)
        turn = plot.starting if client.expense.start_cpu_s else None
        async with turn or contextlib.nullcontext():
            self._client = await client.open(self._engine, visit)
        if plot.arm.prepared:
            await self._client.prepare()

    async def _warm_up(self, visit: Visit) -> None:
        """One request to the origin for what isn't there, over each protocol of the arm, so that no measured
        load is the first one of a process. How it is answered doesn't matter."""
        if visit.arm.clear:
            await warm_up(self._engine, visit, WARM_UP, _WARM_UP_S)
            return
        for protocol in sorted(visit.arm.protocols):
            await self._engine.request(
                "load",
                host_name=visit.host_name,
                address=visit.address,
                port=visit.port,
                document=WARM_UP,
                protocol=protocol,
                tls=visit.arm.tls_version,
                ca=str(self._plot.certificates.authority),
                congestion_control=visit.arm.controls,
                limit_s=_WARM_UP_S,
            )

    def _with_last_lines(self, sentence: str) -> str:
        lines = self._notes.origin.last_lines() if self._notes else ""
        return f"{sentence}; the origin's last lines: {lines}" if lines else sentence


def failed(reason: str, detail: str) -> PageLoad:
    """The record of a load that did not come about."""
    return PageLoad(outcome="failed", reason=reason, detail=detail)


def _unwritten(fault: str) -> HostError:
    return HostError(f"{fault}.", hint="Free some space, or leave the artifacts out.")


def _headers(experiment: Experiment, port: int) -> Mapping[str, str]:
    return {"cache-control": experiment.cache_control, "alt-svc": f'h3=":{port}"; ma=86400'}


def placed(plot: Plot, further: Sequence[str]) -> Placed | None:
    """The hosts of a recorded site on a bench whose server has the `further` addresses; None for any other
    site."""
    site, settings = plot.site, plot.experiment.replay
    if site.replay is None:
        return None
    places = zip(further, site.faces, site.leaves, strict=True)
    return Placed(
        site.replay,
        tuple(Place(str(address), face, leaf) for address, face, leaf in places),
        think=settings.think_factor,
        compute=settings.compute == "recorded",
    )


def _records(arm: Arm, address: str, placed: Placed | None) -> list[dict[str, object]]:
    """The records in the name server: every arm pays for the look-up, one learns of HTTP/3 by it."""
    if placed is None:
        return [_record(arm, HOST_NAME, address, h3=True)]
    hosts = placed.replay.hosts.values()
    return [_record(arm, one.name, placed.address(one.name), h3=one.highest == "h3") for one in hosts]


def _record(arm: Arm, name: str, address: str, *, h3: bool) -> dict[str, object]:
    told = arm.discovery == "https" and h3
    https = [{"priority": 1, "target": ".", "alpn": ["h3", "h2"]}] if told else []
    return {"name": name, "aaaa" if ":" in address else "a": [address], "https": https}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _free_port() -> int:
    """A port of loopback that is free for TCP and UDP."""
    while True:
        with (
            closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as tcp,
            closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as udp,
        ):
            tcp.bind(("127.0.0.1", 0))
            port = int(tcp.getsockname()[1])
            try:
                udp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
