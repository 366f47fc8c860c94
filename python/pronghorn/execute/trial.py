"""One trial: a fresh bench, the origin, the load, the origin's log, the counters, and what they say."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from pronghorn.certificates import Certificates
from pronghorn.clients import CLIENTS
from pronghorn.engine import PATIENCE_S, Engine, EngineError
from pronghorn.errors import HostError
from pronghorn.execute import cost, guard, physics, proof
from pronghorn.execute.artifacts import PCAPNG, Artifacts
from pronghorn.execute.guard import Fault
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Counters, Metrics, PageLoad, Status, Trial, TrialKey
from pronghorn.origins import ORIGINS, Origin, OriginLog
from pronghorn.plan import Block

_CAPTURE_PATIENCE_S = 600.0
"""A capture is put in order when its bench closes, at the disk's speed."""

_LOG_WAITS_S = (0.02, 0.05, 0.2, 1.0)


class Site(NamedTuple):
    """A built site: its folder, the document that is navigated to, and what it weighs in bytes."""

    root: Path
    document: str
    total_bytes: int


class Conditions(NamedTuple):
    """What all of a run's trials share. `run` is the directory that takes their artifacts; None: they leave
    none."""

    experiment: Experiment
    sites: dict[str, Site]
    certificates: Certificates
    run: Path | None = None


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


class Measurement(NamedTuple):
    """What came out of a bench."""

    page: PageLoad
    log: OriginLog
    counters: Counters


async def measure(engine: Engine, conditions: Conditions, assignment: Assignment) -> Trial:
    """Measures one trial; EngineError and EngineDied where the bench could not, HostError where an artifact
    can't be written."""
    wanted = conditions.experiment.artifacts if conditions.run else ()
    artifacts = Artifacts.of(conditions.run or Path(), assignment.key, wanted)
    artifacts.prepare()
    started, clock = _now(), time.monotonic()
    try:
        found = await _bench(engine, conditions, assignment, artifacts)
    except (KeyError, TypeError, ValidationError) as error:
        artifacts.discard()
        raise EngineError(
            "bench", f"the engine's answer is not as its protocol says: {error}", None
        ) from error
    except BaseException:
        artifacts.discard()
        raise
    wall_s = time.monotonic() - clock
    status, fault = _judge(found, conditions, assignment)
    page = found.page
    return Trial(
        **_identity(assignment),
        started=started,
        status=status,
        reason=fault.reason if fault else None,
        detail=fault.detail if fault else None,
        metrics=Metrics(
            load_s=page.load_s,
            ttfb_s=page.ttfb_s,
            connect_s=page.connect_s,
            tls_s=page.tls_s,
            requests=page.requests,
            bytes=page.bytes,
            failures=page.failures,
            wall_s=wall_s,
            overhead_s=wall_s - page.load_s if page.load_s is not None else 0.0,
        ),
        page=page,
        counters=found.counters,
        origin_log=found.log.requests,
        origin_connections=found.log.connections,
        artifacts=artifacts.found(),
    )


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


async def _bench(
    engine: Engine, conditions: Conditions, assignment: Assignment, artifacts: Artifacts
) -> Measurement:
    experiment, cell = conditions.experiment, assignment.block.cell
    arm = experiment.arm(assignment.arm)
    path = experiment.path(cell.path)
    origin, client = ORIGINS[cell.origin], CLIENTS[cell.client]
    site = conditions.sites[cell.site]
    capture = artifacts.file(PCAPNG)
    await engine.request(
        "open",
        path=path.spec.to_engine() if path.spec else None,
        seed=assignment.block.path_seed,
        congestion_control=arm.controls["tcp"],
        capture=str(capture) if capture else None,
        patience_s=PATIENCE_S + cost.warmup_s(path),
    )
    port = await origin.start(engine, site.root, conditions.certificates, arm)
    page = await client.load(
        engine,
        port=port,
        document=site.document,
        certificates=conditions.certificates,
        arm=arm,
        limit_s=experiment.limit_s,
    )
    log = await _log(engine, origin, page)
    patience_s = _CAPTURE_PATIENCE_S if capture else PATIENCE_S
    counters = Counters.model_validate(await engine.request("close", patience_s=patience_s))
    if counters.capture and counters.capture.fault:
        raise HostError(f"{counters.capture.fault}.", hint="Free some space, or leave the artifacts out.")
    return Measurement(page, log, counters)


async def _log(engine: Engine, origin: Origin, page: PageLoad) -> OriginLog:
    """The origin's log; the client may be done before the origin has entered its last answers."""
    log = await origin.log(engine)
    for wait_s in _LOG_WAITS_S:
        if page.outcome != "ok" or len(log.requests) >= len(proof.answered(page)):
            break
        await asyncio.sleep(wait_s)
        log = await origin.log(engine)
    return log


def _judge(found: Measurement, conditions: Conditions, assignment: Assignment) -> tuple[Status, Fault | None]:
    experiment, cell = conditions.experiment, assignment.block.cell
    path, page = experiment.path(cell.path), found.page
    doubt = guard.contamination(
        page, found.counters, path, conditions.sites[cell.site].total_bytes
    ) or physics.violation(page, found.counters, path)
    if doubt is not None:
        return "contaminated", doubt
    if wrong := proof.mismatch(experiment.arm(assignment.arm), page, found.log):
        return "failed", wrong
    if page.outcome == "failed":
        return "failed", Fault(page.reason or "incomplete", page.detail or "the client gave no details")
    if page.load_s is None:
        return "failed", Fault("incomplete", "the client reports success without a load time")
    return "ok", None


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
