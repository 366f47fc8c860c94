"""The slots: blocks taken in the plan's order, never more at once than the host can carry."""

import asyncio
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from pronghorn.analysis.blocks import by_block
from pronghorn.costs import cell_cost, cost
from pronghorn.engine import EngineDied, EngineError
from pronghorn.errors import HostError, InputError
from pronghorn.execute import trial
from pronghorn.execute.company import Company, Course, Room
from pronghorn.execute.fresh import FreshStages
from pronghorn.execute.in_order import InOrder
from pronghorn.execute.kept import KeptStages
from pronghorn.execute.observer import Observer
from pronghorn.execute.progress import Standing, standing, stolen_from
from pronghorn.execute.quiet_host import Calm
from pronghorn.execute.rounds import Rounds
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.model.trial import Cell, Trial
from pronghorn.plan import Block
from pronghorn.runs.journal import Journal
from pronghorn.trust import guard
from pronghorn.trust.guard import Fault

FAULTS_BEFORE_GIVING_UP = 5
"""The number of benches in a row, per job, that may break before the host is held responsible."""


class Stages(Protocol):
    """What trials are measured on."""

    async def measure(self, assignment: Assignment) -> Trial:
        """Measures one trial; EngineError and EngineDied where the bench could not."""
        ...

    async def drop(self, assignment: Assignment) -> None:
        """Ends what broke in the assignment's trial."""
        ...

    async def close(self) -> None:
        """Ends all of it."""
        ...


class Slots:
    """Runs blocks: `jobs` side by side, each in a slot with engines of its own."""

    def __init__(self, conditions: Conditions, jobs: int, journal: Journal, observer: Observer) -> None:
        self._conditions = conditions._replace(starting=asyncio.Lock())
        self._jobs = jobs
        self._journal = journal
        self._observer = observer
        self._fresh: dict[int, FreshStages] = {}
        self._faults = 0
        self._trials: list[Trial] = []
        self._calm = Calm()
        self._company = Company(conditions.experiment, conditions.sites)
        self._in_order: InOrder | None = None

    async def run(self, blocks: Sequence[Block], recorded: Iterable[Trial]) -> list[Trial]:
        """Measures what `recorded` leaves of `blocks`, round by round; gives every trial, the recorded ones
        first.

        However it ends, no engine is left. HostError where the host can't, InputError where the engine
        refuses a request as wrong.
        """
        self._trials = list(recorded)
        self._company.see(self._trials)
        rounds = Rounds(self._conditions.experiment, blocks, self._observer)
        try:
            while due := rounds.due(self._trials):
                await self._round(due)
        finally:
            await asyncio.gather(*(stages.close() for stages in self._fresh.values()))
        if self._conditions.experiment.virtual:
            planned = {(block.cell, block.number): place for place, block in enumerate(blocks)}
            self._trials.sort(
                key=lambda one: (planned.get((one.cell, one.block), -1), one.attempt, one.position)
            )
        return self._trials

    async def _round(self, blocks: Sequence[Block]) -> None:
        """Measures `blocks` in their order, until each is over.

        CPU-bound cells come first, one trial at a time; then the others, up to `jobs` at once, as long as
        they together leave so much of the CPU idle that none of them waits for it: those whose client's start
        costs nothing, and then those of browsers, which would disturb them. Blocks that were contaminated are
        repeated when all others are done: those from which others took the CPU as before, the rest with half
        as much beside them each time and alone the last time, since what ran beside them may have been the
        cause. In virtual time nothing disturbs anything: all such blocks run side by side, before the others,
        which they would disturb.

        A second attempt doesn't wait for first ones that merely wait for their path: it begins once no block
        is left to begin, and half of what the host can carry is free.
        """
        attempts = self._conditions.experiment.attempts
        for attempt in range(attempts):
            done = by_block(self._trials)
            tried = [(block, done.get((block.cell, block.number), ())) for block in blocks]
            due = [
                (block, trials) for block, trials in tried if self._standing(block, trials).attempt == attempt
            ]
            stolen = [block for block, trials in due if attempt and stolen_from(trials)]
            others = [block for block, _ in due if block not in stolen]
            await self._side_by_side(stolen)
            if 0 < attempt == attempts - 1:
                await self._work(others, 1)
            else:
                again = 0.5 if attempt == 0 and attempts > 2 else None
                await self._side_by_side(others, 2**-attempt, again)

    async def _side_by_side(
        self, blocks: Sequence[Block], share: float = 1.0, again: float | None = None
    ) -> None:
        """One attempt at each of `blocks`, with a `share` of what the host can carry side by side; with
        `again`, a share as well, another one at those that were contaminated and wait for their path."""
        virtual = [block for block in blocks if self._virtual(block.cell)]
        real = [block for block in blocks if not self._virtual(block.cell)]
        alone = [block for block in real if self._cpu_bound(block.cell)]
        shared = [block for block in real if not self._cpu_bound(block.cell)]
        quiet = [block for block in shared if not self._company.starts(block.cell)]
        starting = [block for block in shared if self._company.starts(block.cell)]
        jobs, kept = max(1, round(self._jobs * share)), self._conditions.experiment.kept
        guests = self._jobs if self._conditions.experiment.virtual else min(self._jobs, cost.cores())
        await self._work(virtual, guests, math.inf, virtual=True)
        await self._work(alone, 1)
        later = None
        if again is not None and not kept:
            later = Room(max(1, round(self._jobs * again)), again * cost.cpu_budget())
        await self._work(quiet, jobs, share * cost.cpu_budget(), later=later)
        await self._work(starting, jobs, share * cost.cpu_budget(browsers=True, kept=kept))

    def _standing(self, block: Block, trials: Iterable[Trial]) -> Standing:
        return standing(block, trials, self._conditions.experiment.attempts)

    def _virtual(self, cell: Cell) -> bool:
        return self._conditions.engines_of(cell).virtual

    def _cpu_bound(self, cell: Cell) -> bool:
        conditions = self._conditions
        return cell_cost.alone(conditions.experiment, cell, conditions.sites[cell.site].total_bytes)

    async def _work(
        self,
        blocks: Sequence[Block],
        jobs: int,
        budget: float = 0.0,
        *,
        virtual: bool = False,
        later: Room | None = None,
    ) -> None:
        """One attempt at each of `blocks` not over yet; together they keep `budget` cores busy at most. Those
        in virtual time are recorded in their order. With `later`, contaminated ones are repeated once, as
        soon as all have begun and there is that much room."""
        done = by_block(self._trials)
        left = [
            block
            for block in blocks
            if not self._standing(block, done.get((block.cell, block.number), ())).over
        ]
        queue = self._courses(left)
        # Kept state has whole cells as courses: their trials must not wait for each other in memory.
        orders = virtual and not self._conditions.experiment.kept
        in_order = self._in_order = InOrder(self._journal, queue) if orders else None
        free = list(range(jobs))
        again: list[Course] = []
        running: dict[asyncio.Task[None], tuple[int, Course]] = {}
        try:
            while queue or again or running:
                while free:
                    beside = [course for _, course in running.values()]
                    course = self._company.next(queue, beside, budget)
                    if not queue and course is None and later and max(len(running), free[0]) < later.jobs:
                        course = self._company.next(again, beside, later.budget)
                    if course is None:
                        break
                    slot = free.pop(0)
                    running[asyncio.create_task(self._course(slot, course))] = slot, course
                finished, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                over = []
                for task in finished:
                    slot, course = running.pop(task)
                    free = sorted([*free, slot])
                    over.append(course)
                await asyncio.gather(*finished)
                again += [course for course in over if later and self._is_due_again(course[0])]
                if in_order is not None:
                    for course in over:
                        in_order.ends(course)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            if in_order is not None:
                in_order.close()

    def _is_due_again(self, block: Block) -> bool:
        """Whether its first attempt was contaminated, and there was no second."""
        trials = by_block(self._trials).get((block.cell, block.number), ())
        return self._standing(block, trials).attempt == 1 and all(one.attempt == 0 for one in trials)

    def _courses(self, blocks: Sequence[Block]) -> list[Course]:
        if not self._conditions.experiment.kept:
            return [[block] for block in blocks]
        cells: dict[Cell, Course] = {}
        for block in blocks:
            cells.setdefault(block.cell, []).append(block)
        return [sorted(course, key=lambda block: block.number) for course in cells.values()]

    async def _course(self, slot: int, course: Course) -> None:
        await self._calm.wait()
        if not self._conditions.experiment.kept:
            stages = self._fresh.setdefault(slot, FreshStages(self._conditions))
            for block in course:
                await self._attempt(slot, course, block, stages)
            return
        kept = KeptStages(self._conditions)
        try:
            for _ in range(self._conditions.experiment.attempts):
                for block in course:
                    await self._attempt(slot, course, block, kept)
        finally:
            await kept.close()

    async def _attempt(self, slot: int, course: Course, block: Block, stages: Stages) -> None:
        """Measures `block` of `course` until it is over or has to be repeated."""
        trials = [trial for trial in self._trials if (trial.cell, trial.block) == (block.cell, block.number)]
        attempt = self._standing(block, trials).attempt
        while not (now := self._standing(block, trials)).over and now.attempt == attempt:
            arm = next(arm for arm in block.order if arm not in now.recorded)
            assignment = Assignment(block, arm, now.attempt, block.order.index(arm), slot)
            self._observer.starts(assignment)
            measured = await self._measure(stages, assignment)
            if self._virtual(block.cell):
                # Guests share nothing: the record is the same wherever it was made.
                measured = measured.model_copy(update={"slot": 0})
            if self._in_order is not None:
                measured = self._in_order.append(course, measured)
            else:
                measured = self._journal.append(measured)
            self._trials.append(measured)
            self._company.see([measured])
            trials.append(measured)
            self._observer.ends(measured)
            if measured.status == "contaminated" and measured.reason == guard.STEAL:
                self._calm.disturbed()

    async def _measure(self, stages: Stages, assignment: Assignment) -> Trial:
        try:
            measured = await stages.measure(assignment)
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
        await stages.drop(assignment)
        return trial.broken(assignment, fault)

    def _count(self, error: EngineDied | EngineError) -> None:
        self._faults += 1
        if self._faults >= FAULTS_BEFORE_GIVING_UP * self._jobs:
            raise HostError(
                f"{self._faults} benches broke in a row. The last: {error.message}",
                hint=error.hint or "Run 'pronghorn doctor'.",
                exit_status=error.exit_status if isinstance(error, EngineDied) else None,
            ) from error
