"""Which blocks may run beside which: as many as leave so much of the CPU idle that none waits for it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pronghorn import clients
from pronghorn.costs import cell_cost
from pronghorn.costs.seen_cost import Load, SeenCost, together
from pronghorn.execute.stage import Site
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial
from pronghorn.plan import Block

Course = list[Block]
"""Blocks that follow one another in one slot: a single one where the state is fresh, else all of a cell."""


class Room(NamedTuple):
    """How many blocks may run side by side, and how many cores they may keep busy together."""

    jobs: int
    budget: float


class Company:
    """What blocks that run side by side take of the host, as expected and as seen so far."""

    def __init__(self, experiment: Experiment, sites: Mapping[str, Site]) -> None:
        self._experiment = experiment
        self._sites = sites
        self._seen = SeenCost()

    def see(self, trials: Iterable[Trial]) -> None:
        """Takes into account what these have cost."""
        for one in trials:
            self._seen.add(one)

    def next(self, queue: list[Course], beside: Sequence[Course], budget: float) -> Course | None:
        """The first course of `queue` (taken from it) that keeps no more than `budget` cores busy together
        with those `beside` it. A cell's second block waits until its first has shown what its arms use."""
        loads = [self._load(course) for course in beside]
        refused = {course[0].cell for course in beside if not self._shown(course)}
        for place, course in enumerate(queue):
            cell = course[0].cell
            if cell in refused:
                continue
            if not beside or together([*loads, self._load(course)]) <= budget:
                return queue.pop(place)
            refused.add(cell)
        return None

    def starts(self, cell: Cell) -> bool:
        """Whether a client of its is a program whose start costs CPU time."""
        return clients.of(self._experiment, cell.client).expense.start_cpu_s > 0

    def _load(self, course: Course) -> Load:
        """What path and site let expect; of browsers that are started for each load no less than was seen."""
        cell = course[0].cell
        expected = cell_cost.busy_cores(self._experiment, cell, self._sites[cell.site].total_bytes)
        if math.isinf(expected) or not self._shows(cell):
            return Load(expected, expected)
        seen = self._seen.load(cell, course[0].order, clients.of(self._experiment, cell.client).expense)
        return Load(max(expected, seen.mean), max(expected, seen.peak))

    def _shown(self, course: Course) -> bool:
        cell = course[0].cell
        return not self._shows(cell) or self._seen.tried(cell, course[0].order)

    def _shows(self, cell: Cell) -> bool:
        """Whether what is seen of a cell's trials counts: of browsers that are started for each load."""
        return self.starts(cell) and not self._experiment.kept
