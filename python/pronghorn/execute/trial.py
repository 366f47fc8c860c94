"""One trial: the load on a stage of its own, the origin's log, the counters, and what they say."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

from pronghorn.analysis.protocols import protocols
from pronghorn.certificates import Certificates
from pronghorn.clients.load import MADE, requests_per_second
from pronghorn.costs import cell_cost, load_cost
from pronghorn.engine import HERE, Engine, EngineError, Engines
from pronghorn.execute import beside, events
from pronghorn.execute.stage import Measurement, Plot, Site, Stage
from pronghorn.host import loopback
from pronghorn.knobs import effective
from pronghorn.model import bounds
from pronghorn.model.experiment import Experiment
from pronghorn.model.load import CLIENT
from pronghorn.model.trial import Cell, Counters, Metrics, PageLoad, Status, Trial, TrialKey
from pronghorn.model.why import Why
from pronghorn.plan import Block
from pronghorn.runs.artifacts import Artifacts
from pronghorn.trust import guard, misses, physics, proof, time_parts
from pronghorn.trust.guard import Fault, LoadPace


class Conditions(NamedTuple):
    """What all of a run's trials share. `work` is the run's temporary folder, `run` the directory that takes
    their artifacts; None: they leave none. What takes much CPU time at its beginning begins with `starting`
    in its hand. `memory` is a temporary folder for what clients write; None: that goes to `work`. `engines`
    are those of the cells, by their kernel."""

    experiment: Experiment
    sites: dict[str, Site]
    certificates: Certificates
    work: Path
    run: Path | None = None
    starting: asyncio.Lock | None = None
    memory: Path | None = None
    engines: Mapping[str, Engines] = MappingProxyType({"": HERE})

    def engines_of(self, cell: Cell) -> Engines:
        """The engines on which a cell is measured."""
        return self.engines[cell.kernel]


class Assignment(NamedTuple):
    """Which trial is to be measured, and in which slot."""

    block: Block
    arm: str
    attempt: int
    position: int
    slot: int

    @property
    def key(self) -> TrialKey:
        """The trial's identity within its run."""
        return TrialKey(self.block.cell, self.arm, self.block.number, self.attempt)


async def measure(engine: Engine, conditions: Conditions, assignment: Assignment) -> Trial:
    """Measures one trial; EngineError and EngineDied where the bench could not, HostError where an artifact
    can't be written."""
    wanted = conditions.experiment.artifacts if conditions.run else ()
    artifacts = Artifacts.of(conditions.run or Path(), assignment.key, wanted)
    artifacts.prepare()
    watch = Watch()
    try:
        with checked():
            found, counters, reason = await _bench(engine, conditions, assignment, artifacts)
    except BaseException:
        artifacts.discard()
        raise
    return recorded(conditions, assignment, found, counters, watch).model_copy(
        update={"artifacts": artifacts.found(), "why": reason}
    )


@contextmanager
def checked() -> Iterator[None]:
    """Makes an EngineError of what is raised over an answer that is not as the engine's protocol says."""
    try:
        yield
    except (KeyError, TypeError, ValidationError) as error:
        what = bounds.wrong(error) if isinstance(error, ValidationError) else error
        raise EngineError(
            "bench", f"the engine's answer does not match its protocol: {what}", None
        ) from error


def recorded(
    conditions: Conditions,
    assignment: Assignment,
    found: Measurement,
    counters: Counters,
    watch: "Watch",
    visit: int = 0,
) -> Trial:
    """The record of a load that ended just now, and the judgement over it; `visit` earlier ones shared its
    stage."""
    wall_s = watch.wall_s()
    status, fault = _judge(found, counters, conditions, assignment)
    page, experiment, cell = found.page, conditions.experiment, assignment.block.cell
    return Trial(
        **_identity(assignment),
        visit=visit,
        started=watch.started,
        status=status,
        reason=fault.reason if fault else None,
        detail=fault.detail if fault else None,
        metrics=Metrics(
            load_s=page.load_s,
            ttfb_s=page.ttfb_s,
            connect_s=page.connect_s,
            tls_s=page.tls_s,
            requests=page.requests,
            requests_per_second=_requests_per_second(found, status, fault, experiment, cell),
            bytes=page.bytes,
            failures=page.failures,
            protocols=_protocols(page),
            wall_s=wall_s,
            overhead_s=wall_s - page.load_s if page.load_s is not None else 0.0,
        ),
        page=page,
        counters=counters,
        cpu=found.cpu,
        origin_log=found.log.requests,
        origin_counts=list(found.counts),
        background=found.background,
        events=list(found.events),
        origin_connections=found.log.connections,
        origin_log_kept=found.log.kept,
        origin_tickets={transport: dict(fates) for transport, fates in found.log.tickets.items()},
        knobs=effective.of_arm(
            experiment, cell, loopback.arm_in(experiment.arm(assignment.arm), cell)
        ).asked(),
    )


class Watch:
    """When a trial started: `started` is UTC in ISO 8601."""

    def __init__(self) -> None:
        self.started = _now()
        self._clock = time.monotonic()

    def wall_s(self) -> float:
        """The seconds since then."""
        return time.monotonic() - self._clock


def broken(assignment: Assignment, fault: Fault) -> Trial:
    """The record of a trial whose bench broke: contaminated, with nothing measured."""
    return Trial(
        **_identity(assignment),
        started=_now(),
        status="contaminated",
        reason=fault.reason,
        detail=fault.detail,
        metrics=Metrics(),
    )


def plot_of(conditions: Conditions, assignment: Assignment, artifacts: Artifacts, folder: str) -> Plot:
    """What the assignment's stage is built of; `folder` is a name in the run's temporary folders."""
    experiment, cell = conditions.experiment, assignment.block.cell
    return Plot(
        experiment=experiment,
        cell=cell,
        arm=loopback.arm_in(experiment.arm(assignment.arm), cell),
        site=conditions.sites[cell.site],
        certificates=conditions.certificates,
        artifacts=artifacts,
        folder=conditions.work / folder,
        memory=conditions.memory / folder if conditions.memory else None,
        starting=conditions.starting,
    )


async def _bench(
    engine: Engine, conditions: Conditions, assignment: Assignment, artifacts: Artifacts
) -> tuple[Measurement, Counters, Why]:
    plot = plot_of(conditions, assignment, artifacts, f"stage-{assignment.slot}")
    stage = Stage(engine, plot)
    try:
        await stage.open(assignment.block.path_seed)
        found = await stage.load(assignment.block.path_seed)
        counters = await stage.close()
        return found, counters, time_parts.why_of(plot, found.page)
    except BaseException:
        await stage.abandon()
        raise
    finally:
        plot.remove()


def _judge(
    found: Measurement, counters: Counters, conditions: Conditions, assignment: Assignment
) -> tuple[Status, Fault | None]:
    experiment, cell = conditions.experiment, assignment.block.cell
    path, page = experiment.path(cell.path), found.page
    arm = loopback.arm_in(experiment.arm(assignment.arm), cell)
    counts = found.counts if page.report is not None else ()
    replay = conditions.sites[cell.site].replay
    if wrong := proof.otherwise(arm, page, found.log, counts, replay=replay):
        return "failed", wrong
    if found.background is not None and not found.background.requests.succeeded:
        return "contaminated", Fault(beside.REASON, "no request of the load beside it succeeded")
    if found.events and page.report and (amiss := events.outside(found.events, page.report)):
        return "contaminated", Fault(events.OUTSIDE, amiss)
    total_bytes = conditions.sites[cell.site].total_bytes
    pace = _pace(experiment, cell, total_bytes)
    doubt = guard.contamination(page, counters, path, total_bytes, pace) or physics.violation(
        page, counters, path
    )
    if doubt is not None:
        return "contaminated", doubt
    if wrong := proof.mismatch(arm, page, found.log, counts, replay):
        return "failed", wrong
    if replay is not None and (lack := misses.fault(replay, page, found.log.requests, experiment.tolerate)):
        return "failed", lack
    if page.outcome == "failed":
        return "failed", Fault(page.reason or "incomplete", page.detail or "the client gave no details")
    if page.load_s is None:
        return "failed", Fault("incomplete", "the client reports success without a load time")
    return "ok", None


def _pace(experiment: Experiment, cell: Cell, total_bytes: int) -> LoadPace | None:
    if experiment.load is None or cell.client != CLIENT:
        return None
    path, limit_s = experiment.path(cell.path), experiment.limit_of(cell.client)
    return LoadPace(
        bearable_s=load_cost.bearable_s(path, experiment.load, total_bytes, limit_s),
        alone=cell_cost.alone(experiment, cell, total_bytes),
        threads=experiment.load.threads,
    )


def _requests_per_second(
    found: Measurement, status: Status, fault: Fault | None, experiment: Experiment, cell: Cell
) -> float | None:
    """A load's rate; nothing where it was not made, or not as was asked."""
    if experiment.load is None or cell.client != CLIENT:
        return None
    if status == "failed" and (fault is None or fault.reason not in MADE):
        return 0.0
    return requests_per_second(found.page, experiment.load, experiment.limit_of(cell.client))


def _protocols(page: PageLoad) -> dict[str, int]:
    report = page.report
    if report is None:
        return protocols(page)
    return {report.protocol: report.requests.succeeded} if report.requests.succeeded else {}


def _identity(assignment: Assignment) -> dict[str, Any]:
    block = assignment.block
    return {
        "cell": block.cell,
        "arm": assignment.arm,
        "block": block.number,
        "attempt": assignment.attempt,
        "position": assignment.position,
        "path_seed": block.path_seed,
        "slot": assignment.slot,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
