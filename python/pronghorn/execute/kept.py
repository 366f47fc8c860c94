"""Kept state: each arm of a cell keeps one bench, origin and client over all of the cell's blocks."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from pronghorn import plan
from pronghorn.costs import cell_cost
from pronghorn.engine import Engine
from pronghorn.execute import trial
from pronghorn.execute.stage import Plot, Stage
from pronghorn.execute.trial import Assignment, Conditions, Watch
from pronghorn.model.trial import Trial
from pronghorn.runs.artifacts import Artifacts
from pronghorn.trust import time_parts


@dataclass
class _Kept:
    """An arm's stage on an engine of its own, since an engine holds one bench; `visits` loads were made on
    it."""

    engine: Engine
    stage: Stage
    plot: Plot
    visits: int = 0


class KeptStages:
    """The stages of one cell's arms. Before each load the path begins anew with the block's seed, so that the
    arms of a block share its decisions and the counters are the load's own; between two loads, of whatever
    arm, lies the experiment's pause."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._kept: dict[str, _Kept] = {}
        self._ended: float | None = None

    async def measure(self, assignment: Assignment) -> Trial:
        """Makes one load of the arm on its stage, which is opened where there is none. EngineError and
        EngineDied where the bench could not."""
        virtual = self._conditions.engines_of(assignment.block.cell).virtual
        if not virtual:
            await self._rest()
        watch = Watch()
        with trial.checked():
            kept = self._kept.get(assignment.arm) or await self._open(assignment)
            visit, kept.visits = kept.visits, kept.visits + 1
            if virtual and visit:
                # Each arm has a clock of its own, which the other arms' loads don't move.
                await kept.engine.let_pass(self._conditions.experiment.pause_s)
            try:
                found = await kept.stage.load(assignment.block.path_seed)
                counters = await kept.stage.counters()
            finally:
                self._ended = time.monotonic()
        measured = trial.recorded(self._conditions, assignment, found, counters, watch, visit)
        measured.why = time_parts.why_of(kept.stage.plot, found.page)
        if kept.stage.spent:
            await self.drop(assignment)
        return measured

    async def drop(self, assignment: Assignment) -> None:
        """Ends the arm's stage, in whatever state it is; the arm's next load gets a new one."""
        kept = self._kept.pop(assignment.arm, None)
        if kept is not None:
            await _end(kept)

    async def close(self) -> None:
        """Ends all stages."""
        kept = list(self._kept.values())
        self._kept.clear()
        await asyncio.gather(*(_end(one) for one in kept))

    async def _rest(self) -> None:
        if self._ended is not None:
            over = self._ended + self._conditions.experiment.pause_s
            await asyncio.sleep(max(0.0, over - time.monotonic()))

    async def _open(self, assignment: Assignment) -> _Kept:
        conditions = self._conditions
        name = f"stage-{assignment.slot}-{sorted(assignment.block.order).index(assignment.arm)}"
        plot = trial.plot_of(conditions, assignment, Artifacts.of(Path(), assignment.key, ()), name)
        seed = plan.derive(
            conditions.experiment.seed, "guest", assignment.block.cell.drawn_as, assignment.arm
        )
        engines = conditions.engines_of(assignment.block.cell)
        engine = await engines.start(seed)
        kept = self._kept[assignment.arm] = _Kept(engine, Stage(engine, plot), plot)
        cell = assignment.block.cell
        if not engines.virtual and cell_cost.alone(
            conditions.experiment, cell, conditions.sites[cell.site].total_bytes
        ):
            await trial.measure(engine, conditions._replace(run=None), assignment)
        await kept.stage.open(assignment.block.path_seed)
        return kept


async def _end(kept: _Kept) -> None:
    try:
        await kept.stage.abandon()
    finally:
        await kept.engine.stop()
        kept.plot.remove()
