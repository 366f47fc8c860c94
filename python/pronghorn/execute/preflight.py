"""One load of each arm before the schedule: what can't succeed ends the run at once, with its reason.

The load goes over a path of its own, without loss, so that hardly anything fails by chance and a server that
doesn't answer costs one short wait. It is no trial: the journal doesn't have it, and the plan, its seeds and
all kept state are as without it.

A fault ends the run unless repeating may mend it. Resets, broken responses and crashed browsers are tried up
to `TRIES` times; on a live server's network so are time-outs and failed connections. A load that timed out
but got an answer is merely slow: its page is left to the schedule, with its longer limit."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.analysis import mends
from pronghorn.analysis.failing import told
from pronghorn.analysis.numbers import listed
from pronghorn.engine import EngineDied, EngineError
from pronghorn.errors import HostError, InputError, NothingMeasured
from pronghorn.execute import trial
from pronghorn.execute.stage import BUILTIN, Measurement, Plot, Stage
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.host import interrupts, loopback
from pronghorn.model import load, units
from pronghorn.model import path as paths
from pronghorn.model.arm import VISITS, Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.load import LoadSettings
from pronghorn.model.loaded import Failure
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.trial import PREPARE, Cell, PageLoad, Trial
from pronghorn.plan import Block, derive
from pronghorn.runs.artifacts import Artifacts
from pronghorn.runs.noted import PREFLIGHT
from pronghorn.sites.spec import SPECIFICATIONS
from pronghorn.trust import misses, proof
from pronghorn.trust.guard import Fault

LIMIT = "10s"
"""When the load is stopped, unless the experiment stops its loads sooner."""

_LIMIT_S = units.time_ns(LIMIT) / 1e9

TRIES = 3
SIDE_BY_SIDE = 4

NO_REQUEST = "no-request"
_TIMEOUT = "timeout"
_BY_CHANCE = frozenset({"reset", "incomplete", "browser"})
_BY_CHANCE_ELSEWHERE = _BY_CHANCE | {_TIMEOUT, "connect", "resolve"}

_LINK = LinkSpec(delay_ns=500_000, rate_bit_per_s=1_000_000_000)
_PATH = PathProfile(name=PREFLIGHT, spec=PathSpec(down=_LINK, up=_LINK))
_IPV6_PATH = PathProfile(name=f"{PREFLIGHT}-ipv6", spec=PathSpec(down=_LINK, up=_LINK, family=6))


class Checked(NamedTuple):
    """What came of one arm at one origin: its `fault`, None where it loaded, after so many seconds."""

    cell: Cell
    arm: str
    fault: Fault | None
    seconds: float

    def noted(self) -> dict[str, Any]:
        """For the manifest."""
        where = {
            key: getattr(self.cell, key)
            for key in ("site", "origin", "client", "kernel")
            if getattr(self.cell, key)
        }
        if self.cell.path == _IPV6_PATH.name:
            where["family"] = 6
        reason, detail = self.fault or (None, None)
        return {**where, "arm": self.arm, "reason": reason, "detail": detail, "s": round(self.seconds, 3)}


def check(conditions: Conditions, recorded: Sequence[Trial]) -> list[Checked]:
    """Loads what could fail, unless the experiment leaves that out or trials are recorded already.

    HostError where the host can't, InputError where the engine refuses a request as wrong."""
    experiment = conditions.experiment
    if experiment.preflight == "off" or recorded:
        return []
    due = [(cell, arm) for cell in _cells(experiment) if not _cannot_fail(cell) for arm in experiment.arms]
    return interrupts.run(_all(conditions._replace(experiment=_shortened(experiment), run=None), due))


def refuse(found: Iterable[Checked]) -> None:
    """NothingMeasured where an arm failed, with the commonest reason and what to do."""
    checked = list(found)
    failing = [one for one in checked if one.fault is not None]
    if not failing:
        return
    arms = list(dict.fromkeys(one.arm for one in failing))
    others = list(dict.fromkeys(one.arm for one in checked if one.arm not in arms))
    first = failing[0]
    fault = first.fault or Fault("", "")
    more = f" ({len(failing)} of {len(checked)} such loads failed)" if len(failing) > 1 else ""
    loaded = f" {listed(others)} loaded." if others else ""
    failure = Failure(reason=fault.reason, trials=len(failing), detail=fault.detail)
    raise NothingMeasured(
        f"Nothing was measured, because the load before the first trial failed. {_where(first)}: "
        f"{fault.reason}: {told(fault.detail)}{more}.{loaded}",
        hint=f"{mends.of_failure(failure, arms, others)} To measure anyway: --set preflight=warn",
    )


def _where(one: Checked) -> str:
    place = f" in {one.cell.place}" if one.cell.kernel else ""
    over = " over IPv6" if one.cell.path == _IPV6_PATH.name else ""
    return f"{one.arm} at {one.cell.origin} with {one.cell.client}{over}, site {one.cell.site}{place}"


def _cells(experiment: Experiment) -> list[Cell]:
    """One for each site, origin, client and version of IP, whatever else its paths are."""
    ahead = _ahead(experiment)
    return list(
        dict.fromkeys(cell.model_copy(update={"path": ahead[cell.path].name}) for cell in experiment.cells())
    )


def _ahead(experiment: Experiment) -> dict[str, PathProfile]:
    """By each path's name the one of the preflight in its place: of the same version of IP, or `direct` where
    no path is emulated."""
    if all(path.spec is None for path in experiment.paths):
        return {path.name: paths.direct() for path in experiment.paths}
    six = {path.name for path in experiment.paths if path.spec is not None and path.spec.ip == 6}
    return {path.name: _IPV6_PATH if path.name in six else _PATH for path in experiment.paths}


def _cannot_fail(cell: Cell) -> bool:
    """Whether both ends are the engine's own and the site is generated: they speak every protocol to each
    other, and no resource is missing."""
    return cell.origin == BUILTIN and cell.site in SPECIFICATIONS and cell.client in ("native", load.CLIENT)


def _shortened(experiment: Experiment) -> Experiment:
    """The experiment over the preflight's paths, with its limit; of a load of many requests one, of a load
    beside it none."""
    ahead = {path.name: path for path in _ahead(experiment).values()}
    one = None
    if experiment.load is not None:
        one = LoadSettings(requests=1, document=experiment.load.document)
    return experiment.model_copy(
        update={
            "paths": tuple(ahead.values()),
            "limit": LIMIT if experiment.limit_s > _LIMIT_S else experiment.limit,
            "artifacts": (),
            "background": None,
            "load": one,
            "state": "fresh",
        }
    )


async def _all(conditions: Conditions, due: Sequence[tuple[Cell, Arm]]) -> list[Checked]:
    conditions = conditions._replace(starting=asyncio.Lock())
    room = asyncio.Semaphore(1 if conditions.experiment.live else SIDE_BY_SIDE)

    async def one(place: int, cell: Cell, arm: Arm) -> Checked:
        async with room:
            began = time.monotonic()
            fault = await _fault(conditions, cell, arm, place)
            return Checked(cell, arm.name, fault, time.monotonic() - began)

    tasks = [asyncio.create_task(one(place, *each)) for place, each in enumerate(due)]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _fault(conditions: Conditions, cell: Cell, arm: Arm, place: int) -> Fault | None:
    """What ends the run of an arm's loads, or None."""
    fault: Fault | None = None
    by_chance = _BY_CHANCE_ELSEWHERE if conditions.experiment.live else _BY_CHANCE
    for number in range(TRIES):
        fault = await _once(conditions, cell, arm, place, number)
        if fault is not None and fault.reason == PREPARE:
            # What keeps a visit from being made is told by a load without one.
            cold = arm.model_copy(update={"options": arm.options - VISITS})
            fault = await _once(conditions, cell, cold, place, number) or _unless_slow(fault)
        if fault is None or fault.reason not in by_chance:
            break
    return fault


def _unless_slow(fault: Fault) -> Fault | None:
    return None if f": {_TIMEOUT}: " in fault.detail else fault


async def _once(conditions: Conditions, cell: Cell, arm: Arm, place: int, number: int) -> Fault | None:
    """One load; what it says, or None. A bench that broke says nothing."""
    experiment = conditions.experiment
    arm = loopback.arm_in(arm, cell)
    seed = derive(experiment.seed, PREFLIGHT, cell, arm.name, number)
    assignment = Assignment(Block(cell, 0, (arm.name,), seed), arm.name, number, 0, place)
    plot = trial.plot_of(
        conditions, assignment, Artifacts.of(Path(), assignment.key, ()), f"{PREFLIGHT}-{place}"
    )._replace(arm=arm)
    engine = await conditions.engines_of(cell).start(seed)
    stage = Stage(engine, plot)
    try:
        with trial.checked():
            await stage.open(seed)
            found = await stage.load(seed)
        return _said(arm, found, plot)
    except EngineError as error:
        if error.kind == "input":
            raise InputError(f"the engine refuses: {error.message}", hint=error.hint) from error
        if error.kind == "host":
            raise HostError(error.message, hint=error.hint) from error
        return None
    except EngineDied:
        return None
    finally:
        await stage.abandon()
        await engine.stop()
        plot.remove()


def _said(arm: Arm, found: Measurement, plot: Plot) -> Fault | None:
    page, replay = found.page, plot.site.replay
    if (wrong := proof.mismatch(arm, page, found.log, found.counts, replay)) is not None:
        return wrong
    if replay is not None and (
        lack := misses.fault(replay, page, found.log.requests, plot.experiment.tolerate)
    ):
        return lack
    if page.outcome == "failed":
        return None if _is_slow(page) else Fault(page.reason or "incomplete", page.detail or "no details")
    if page.tells_requests and not page.requests:
        return Fault(
            NO_REQUEST,
            "its load made no request, because the cache held the whole page: there is nothing to compare",
        )
    return None


def _is_slow(page: PageLoad) -> bool:
    """Whether a load that timed out was on its way: an answer had begun, or nobody tells."""
    begun = any(resource.status is not None for resource in page.resources)
    return page.reason == _TIMEOUT and (begun or not page.tells_requests)
