"""The slots: blocks taken in the plan's order, one engine a slot, never more than the host can carry."""

import asyncio
from collections.abc import Iterable, Sequence

from pronghorn.engine import Engine, EngineDied, EngineError
from pronghorn.errors import HostError, InputError
from pronghorn.execute import cost, trial
from pronghorn.execute.guard import Fault
from pronghorn.execute.observer import Observer
from pronghorn.execute.progress import by_block, standing
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.journal import Journal
from pronghorn.model.trial import Trial
from pronghorn.plan import Block

FAULTS_BEFORE_GIVING_UP = 5
"""So many benches may break in a row, per job, before the host is held to be the fault."""


class Slots:
    """Runs blocks: `jobs` side by side, each in a slot with an engine of its own."""

    def __init__(self, conditions: Conditions, jobs: int, journal: Journal, observer: Observer) -> None:
        self._conditions = conditions
        self._jobs = jobs
        self._journal = journal
        self._observer = observer
        self._engines: dict[int, Engine] = {}
        self._faults = 0
        self._trials: list[Trial] = []

    async def run(self, blocks: Sequence[Block], recorded: Iterable[Trial]) -> list[Trial]:
        """Measures what `recorded` leaves of `blocks`, in their order; gives every trial, the recorded ones
        first.

        CPU-bound cells come first, one trial at a time; then the others, up to `jobs` at once, as long as
        they together leave so much of the CPU idle that none of them waits for it. However it ends, no engine
        is left. HostError where the host can't, InputError where the engine refuses a request as wrong.
        """
        self._trials = list(recorded)
        experiment = self._conditions.experiment
        alone = [block for block in blocks if cost.cpu_bound(experiment.path(block.cell.path))]
        shared = [block for block in blocks if not cost.cpu_bound(experiment.path(block.cell.path))]
        try:
            await self._work(alone, 1)
            await self._work(shared, self._jobs)
        finally:
            await asyncio.gather(*(engine.stop() for engine in self._engines.values()))
            self._engines.clear()
        return self._trials

    async def _work(self, blocks: Sequence[Block], jobs: int) -> None:
        done = by_block(self._trials)
        queue = [
            block for block in blocks if not standing(block, done.get((block.cell, block.number), ())).over
        ]
        free = list(range(jobs))
        running: dict[asyncio.Task[None], tuple[int, float]] = {}
        try:
            while queue or running:
                while free and (block := self._next(queue, [load for _, load in running.values()])):
                    slot = free.pop(0)
                    task = asyncio.create_task(self._block(slot, block))
                    running[task] = slot, self._busy_cores(block)
                finished, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in finished:
                    slot, _ = running.pop(task)
                    free = sorted([*free, slot])
                await asyncio.gather(*finished)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _next(self, queue: list[Block], loads: Sequence[float]) -> Block | None:
        """The first block of `queue` (taken from it) that fits beside the `loads`; any fits beside none."""
        room = cost.cpu_budget() - sum(loads)
        for place, block in enumerate(queue):
            if not loads or self._busy_cores(block) <= room:
                return queue.pop(place)
        return None

    def _busy_cores(self, block: Block) -> float:
        path = self._conditions.experiment.path(block.cell.path)
        return cost.busy_cores(path, self._conditions.sites[block.cell.site].total_bytes)

    async def _block(self, slot: int, block: Block) -> None:
        trials = [trial for trial in self._trials if (trial.cell, trial.block) == (block.cell, block.number)]
        while not (now := standing(block, trials)).over:
            arm = next(arm for arm in block.order if arm not in now.recorded)
            assignment = Assignment(block, arm, now.attempt, block.order.index(arm), slot)
            self._observer.starts(assignment)
            measured = await self._measure(slot, assignment)
            self._journal.append(measured)
            self._trials.append(measured)
            trials.append(measured)
            self._observer.ends(measured)

    async def _measure(self, slot: int, assignment: Assignment) -> Trial:
        engine = self._engines.get(slot)
        fresh = engine is None
        if engine is None:
            engine = self._engines[slot] = await Engine.start()
        try:
            if fresh and cost.cpu_bound(self._conditions.experiment.path(assignment.block.cell.path)):
                await self._warm_up(engine, assignment)
            measured = await trial.measure(engine, self._conditions, assignment)
        except EngineDied as error:
            fault = Fault("engine", error.message)
            self._count(error)
        except EngineError as error:
            if error.kind == "input":
                raise InputError(f"the engine refuses: {error.message}", hint=error.hint) from error
            if error.kind == "host":
                raise HostError(error.message, hint=error.hint) from error
            fault = Fault("bench", error.message)
            self._count(error)
        else:
            self._faults = 0
            return measured
        self._observer.warns(f"{assignment.block.cell}, {assignment.arm}: {fault.detail}")
        del self._engines[slot]
        await engine.stop()
        return trial.broken(assignment, fault)

    async def _warm_up(self, engine: Engine, assignment: Assignment) -> None:
        """One unrecorded trial of every arm: where the CPU is the limit, a cold engine would show."""
        conditions = self._conditions._replace(run=None)
        for arm in assignment.block.order:
            await trial.measure(engine, conditions, assignment._replace(arm=arm))

    def _count(self, error: EngineDied | EngineError) -> None:
        self._faults += 1
        if self._faults >= FAULTS_BEFORE_GIVING_UP * self._jobs:
            raise HostError(
                f"{self._faults} benches broke one after the other; the last: {error.message}",
                hint=error.hint or "Look at 'pronghorn doctor'.",
            ) from error
