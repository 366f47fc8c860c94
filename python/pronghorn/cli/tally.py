"""How far a run has come: trials done, running medians, time left."""

import math
import statistics
from collections import defaultdict
from typing import NamedTuple

from pronghorn.execute.observer import Outlook
from pronghorn.model.trial import Cell, Trial


class Standing(NamedTuple):
    """An arm's median load time over the baseline's in a cell, after so many `blocks`: no verdict yet."""

    cell: Cell
    arm: str
    ratio: float
    blocks: int


def _load_s(trial: Trial) -> float:
    load_s = trial.metrics.load_s
    return load_s if trial.status == "ok" and load_s is not None else math.inf


class Tally:
    """The running count of one run; `record` takes each trial as it ends."""

    def __init__(self, outlook: Outlook) -> None:
        experiment = outlook.experiment
        self.cells = experiment.cells()
        self.at_most = experiment.sampling is not None
        self.arms = [arm.name for arm in experiment.arms]
        self.baseline = experiment.baseline
        self._rates = experiment.load is not None
        self.contaminated = 0
        self.failed = 0
        self._pause_s = experiment.pause_s
        self._attempts = experiment.attempts
        self._expected_s = outlook.expected_s
        self._beside = outlook.beside
        self._wanted = {cell: experiment.repeat * len(self.arms) for cell in self.cells}
        self._blocks: dict[tuple[Cell, int], dict[str, Trial]] = defaultdict(dict)
        self._lost: set[tuple[Cell, int]] = set()
        self._walls: dict[Cell, list[float]] = defaultdict(list)
        for trial in outlook.recorded:
            self.record(trial)

    @property
    def wanted(self) -> int:
        """The trials that the run needs; with `at_most` it may turn out to need fewer."""
        return sum(self._wanted.values())

    @property
    def done(self) -> int:
        """The trials that count so far."""
        return sum(len(block) for block in self._blocks.values())

    def done_in(self, cell: Cell) -> tuple[int, int]:
        """The trials that count so far in `cell`, and those it needs."""
        return sum(len(block) for (of, _), block in self._blocks.items() if of == cell), self._wanted[cell]

    def record(self, trial: Trial) -> None:
        """Takes note of a trial; a contaminated one undoes its block."""
        block = self._blocks[trial.cell, trial.block]
        if trial.status == "contaminated":
            self.contaminated += 1
            block.clear()
            if trial.attempt + 1 >= self._attempts and (trial.cell, trial.block) not in self._lost:
                self._lost.add((trial.cell, trial.block))
                self._wanted[trial.cell] -= len(self.arms)
            return
        self.failed += trial.status == "failed"
        if (trial.cell, trial.block) not in self._lost:
            block[trial.arm] = trial
        self._walls[trial.cell].append(trial.metrics.wall_s)

    def settle(self, cell: Cell) -> None:
        """Takes note that a cell gets no further blocks."""
        self._wanted[cell] = self.done_in(cell)[0]

    def median_s(self, cell: Cell, arm: str) -> float | None:
        """The running median of the load time; failed loads count as endless. None before the first trial."""
        loads = []
        for (of, _), block in self._blocks.items():
            if of == cell and arm in block:
                loads.append(_load_s(block[arm]))
        return statistics.median_high(loads) if loads else None

    def so_far(self) -> list[Standing]:
        """How each arm stands beside the baseline, cell by cell, over the blocks that both have; of loads of
        many requests nothing is said before their end."""
        found = []
        for cell in [] if self._rates else self.cells:
            blocks = [block for (of, _), block in self._blocks.items() if of == cell]
            for arm in self.arms:
                both = [block for block in blocks if arm in block and self.baseline in block]
                if arm == self.baseline or not both:
                    continue
                mine, theirs = (
                    statistics.median_high([_load_s(block[name]) for block in both])
                    for name in (arm, self.baseline)
                )
                if math.isfinite(mine) and math.isfinite(theirs) and mine > 0 and theirs > 0:
                    found.append(Standing(cell, arm, mine / theirs, len(both)))
        return found

    def left_s(self) -> float:
        """About how long the run still takes, in seconds."""
        left = 0.0
        for cell in self.cells:
            done, wanted = self.done_in(cell)
            walls = self._walls[cell]
            each = statistics.fmean(walls) if walls else self._expected_s[cell]
            left += max(0, wanted - done) * (each + self._pause_s) / self._beside[cell]
        return left
