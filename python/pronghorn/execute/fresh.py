"""Fresh state: a bench, an origin and a client of its own for every trial, on one engine."""

from pronghorn import plan
from pronghorn.costs import cell_cost
from pronghorn.engine import Engine, Engines
from pronghorn.execute import trial
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.model.trial import Trial


class FreshStages:
    """One slot's engine, on which every trial has a stage of its own; in virtual time every trial has a guest
    of its own, so that it depends on its seed alone."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._engine: Engine | None = None

    async def measure(self, assignment: Assignment) -> Trial:
        """Measures one trial; EngineError and EngineDied where the bench could not, HostError where an
        artifact can't be written."""
        engines = self._conditions.engines_of(assignment.block.cell)
        if engines.virtual:
            return await self._in_guest(engines, assignment)
        if self._engine is None:
            self._engine = await engines.start(assignment.block.path_seed)
            cell, sites = assignment.block.cell, self._conditions.sites
            if cell_cost.alone(self._conditions.experiment, cell, sites[cell.site].total_bytes):
                await self._warm_up(self._engine, assignment)
        return await trial.measure(self._engine, self._conditions, assignment)

    async def _in_guest(self, engines: Engines, assignment: Assignment) -> Trial:
        block = assignment.block
        guest = await engines.start(plan.derive(block.path_seed, "guest", assignment.arm, assignment.attempt))
        try:
            return await trial.measure(guest, self._conditions, assignment)
        finally:
            await guest.stop()

    async def drop(self, assignment: Assignment) -> None:  # noqa: ARG002
        """Ends what is left of the engine after a fault; the next trial gets a new one."""
        await self.close()

    async def close(self) -> None:
        """Ends the engine."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.stop()

    async def _warm_up(self, engine: Engine, assignment: Assignment) -> None:
        """One unrecorded trial of every arm: where the CPU is the limit, a cold engine would show."""
        conditions = self._conditions._replace(run=None)
        for arm in assignment.block.order:
            await trial.measure(engine, conditions, assignment._replace(arm=arm))
