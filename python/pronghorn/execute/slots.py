"""The slots: blocks taken from the plan's order, one engine a slot, CPU-bound cells alone."""

import asyncio
from collections import deque
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

        CPU-bound cells come first, one trial at a time; then the others, up to `jobs` at once. However it
        ends, no engine is left. HostError where the host can't, InputError where the engine refuses a request
        as wrong."""
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
        queue = deque(
            block for block in blocks if not standing(block, done.get((block.cell, block.number), ())).over
        )
        workers = [asyncio.create_task(self._slot(slot, queue)) for slot in range(min(jobs, len(queue)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _slot(self, slot: int, queue: deque[Block]) -> None:
        while queue:
            await self._block(slot, queue.popleft())

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
        if engine is None:
            engine = self._engines[slot] = await Engine.start()
        try:
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

    def _count(self, error: EngineDied | EngineError) -> None:
        self._faults += 1
        if self._faults >= FAULTS_BEFORE_GIVING_UP * self._jobs:
            raise HostError(
                f"{self._faults} benches broke one after the other; the last: {error.message}",
                hint=error.hint or "Look at 'pronghorn doctor'.",
            ) from error
