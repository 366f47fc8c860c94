"""Rounds: which blocks are to be measured next, where what was measured decides whether a cell gets more."""

from collections.abc import Iterable, Sequence

from pronghorn.analysis import stopping
from pronghorn.analysis.blocks import by_block, select
from pronghorn.analysis.bootstrap import RESAMPLES
from pronghorn.analysis.comparing import led
from pronghorn.analysis.sequential import Boundary
from pronghorn.analysis.terms import Terms
from pronghorn.execute.observer import Observer
from pronghorn.execute.progress import standing
from pronghorn.model.experiment import Experiment
from pronghorn.model.sampling import Sampling
from pronghorn.model.trial import Cell, Trial
from pronghorn.plan import Block


class Rounds:
    """A run's blocks in rounds: a single one where their number is fixed, else one for each look.

    A round takes every cell that is still sampled to its next look, so that all of them advance; then nothing
    runs while they are looked at. What is due depends on the recorded trials alone, so that a run which was
    cut goes on as it would have."""

    def __init__(self, experiment: Experiment, blocks: Sequence[Block], observer: Observer) -> None:
        self._experiment = experiment
        self._blocks = blocks
        self._observer = observer
        self._settled: set[Cell] = set()

    def due(self, trials: Iterable[Trial]) -> list[Block]:
        """The blocks to be measured next, in the plan's order; none where the run is at its end."""
        recorded = list(trials)
        done = by_block(recorded)
        left = [
            block
            for block in self._blocks
            if block.cell not in self._settled
            and not standing(block, done.get((block.cell, block.number), ()), self._experiment.attempts).over
        ]
        sampling = self._experiment.sampling
        if sampling is None:
            return left
        over = dict.fromkeys(self._experiment.cells(), sampling.most)
        for block in left:
            over[block.cell] = min(over[block.cell], block.number)
        goals = {
            cell: self._goal(cell, sampling, recorded, blocks)
            for cell, blocks in over.items()
            if cell not in self._settled
        }
        return [block for block in left if block.number < goals[block.cell]]

    def _goal(self, cell: Cell, sampling: Sampling, recorded: list[Trial], over: int) -> int:
        """The number of blocks that a cell is taken to, of which the first `over` are over; 0 where it gets
        no more."""
        boundary = Boundary.between(sampling.least, sampling.most)
        mine = [trial for trial in recorded if trial.cell == cell]
        begun = max((trial.block + 1 for trial in mine), default=0)
        if over < begun:
            return boundary.next_after(begun - 1) or sampling.most
        if over == sampling.most or (over in boundary.looks and self._ends(cell, sampling, mine)):
            self._settled.add(cell)
            self._observer.settles(cell)
            return 0
        return boundary.next_after(over) or sampling.most

    def _ends(self, cell: Cell, sampling: Sampling, mine: list[Trial]) -> bool:
        """Whether a cell that is at a look gets no more blocks: its answer is known, or its time is up."""
        experiment = self._experiment
        found = select(mine, [arm.name for arm in experiment.arms], experiment.attempts)[cell]
        terms = Terms(
            title=str(cell),
            baseline=experiment.baseline,
            margin=experiment.margin,
            margin_s=experiment.margin_s,
            seed=experiment.seed,
            resamples=RESAMPLES,
            sampling=sampling,
            stage=stopping.stage(found, sampling, experiment.limit_of(cell.client)),
        )
        return stopping.reason(sampling, led(found, terms), late=terms.stage.late) is not None
