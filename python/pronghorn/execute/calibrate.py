"""The paths of an experiment are calibrated before its trials: briefly, and again where one fails."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pronghorn import calibration, plan
from pronghorn.calibration import Report
from pronghorn.costs import cost
from pronghorn.engine import EngineDied, EngineError, Engines
from pronghorn.host import interrupts
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import PathProfile, PathSpec

SIDE_BY_SIDE = 4
"""The number of moderate-rate paths that are calibrated at a time."""

VIRTUAL_SHARE = 0.35
"""The time for probes in virtual time, as a share of that in real time: no host disturbs them, and a guest
needs several times the CPU for each packet."""

ATTEMPTS = 2
"""A path that fails, which a busy host may cause, is tried once more with twice the time."""


def calibrate(experiment: Experiment, engines: Mapping[str, Engines]) -> list[dict[str, Any]]:
    """What the calibrations said, for the manifest: each attempt's report, its path, its kernel where there
    are several, and time (UTC)."""
    paths = [path for path in experiment.paths if path.spec is not None]
    if not paths:
        return []
    return [
        {**report, "kernel": kernel} if kernel else report
        for kernel, of_kernel in engines.items()
        for report in interrupts.run(_all(paths, experiment.seed, of_kernel))
    ]


async def _all(paths: Sequence[PathProfile], seed: int, engines: Engines) -> list[dict[str, Any]]:
    done: list[dict[str, Any]] = []
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(path: PathProfile) -> None:
        async with room:
            done.extend(await _attempts(path, seed, engines))

    alone = [path for path in paths if cost.cpu_bound(path) and not engines.virtual]
    for path in alone:
        await one(path)
    async with asyncio.TaskGroup() as group:
        for path in paths:
            if path not in alone:
                group.create_task(one(path))
    return done


async def _attempts(path: PathProfile, seed: int, engines: Engines) -> list[dict[str, Any]]:
    reports: list[dict[str, Any]] = []
    for attempt in range(ATTEMPTS):
        draw = plan.derive(seed, "calibration", path.name, attempt)
        started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        budget_s = calibration.SHORT_S * (1 + attempt) * (VIRTUAL_SHARE if engines.virtual else 1.0)
        report = await _once(path.spec, draw, budget_s, engines)
        reports.append({"path": path.name, "started": started, **report.model_dump(exclude_none=True)})
        if report.passed:
            break
    return reports


async def _once(spec: PathSpec | None, seed: int, budget_s: float, engines: Engines) -> Report:
    if spec is None:
        raise ValueError("there is no path to calibrate")
    engine = await engines.start(seed)
    try:
        return await calibration.calibrate(engine, spec, seed=seed, budget_s=budget_s)
    except (EngineDied, EngineError) as error:
        return Report(passed=False, seed=seed, seconds=0.0, fault=error.message)
    finally:
        await engine.stop()
