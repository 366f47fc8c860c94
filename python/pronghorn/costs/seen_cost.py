"""What trials cost, as a run has seen it: better than any guess from path and site."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pronghorn.costs import cost
from pronghorn.model.expense import Expense
from pronghorn.model.trial import Cell, Trial


class Load(NamedTuple):
    """How many cores a block keeps busy, over all of its trials and during the trial that needs the most."""

    mean: float
    peak: float

    @property
    def above(self) -> float:
        """By how much the peak is above the mean."""
        return self.peak - self.mean if self.peak > self.mean else 0.0


def together(loads: Iterable[Load]) -> float:
    """How many cores blocks side by side keep busy, while one of them at most is at its peak: which arm of a
    block runs at a time is chance, and no arm has more company than another."""
    found = list(loads)
    return sum(load.mean for load in found) + max((load.above for load in found), default=0.0)


class SeenCost:
    """The CPU time and the duration of the loads of each arm in each cell."""

    def __init__(self, trials: Iterable[Trial] = ()) -> None:
        self._sums: dict[tuple[Cell, str], _Sum] = {}
        for trial in trials:
            self.add(trial)

    def add(self, trial: Trial) -> None:
        """Takes note of a trial, whatever came of it; of one whose load never began, that it was tried."""
        of = trial.cell, trial.arm
        before = self._sums.setdefault(of, _Sum())
        page, host = trial.page, trial.counters.host if trial.counters else None
        if page is None or not (page.connections or page.resources) or host is None or host.cpu is None:
            return
        share = host.cpu
        if share.own_share <= 0:
            return
        lasted_s = share.own_s / share.own_share / cost.cores()
        self._sums[of] = _Sum(before.n + 1, before.cpu_s + share.own_s, before.lasted_s + lasted_s)

    def tried(self, cell: Cell, arms: Sequence[str]) -> bool:
        """Whether there is a trial of each of the `arms`."""
        return all((cell, arm) in self._sums for arm in arms)

    def load(self, cell: Cell, arms: Sequence[str], expense: Expense) -> Load:
        """What a block of these `arms` keeps busy, from its clients' starts on; nothing where no load was
        seen."""
        seen = [self._sums.get((cell, arm), _Sum()) for arm in arms]
        each = [
            (one.cpu_s / one.n + expense.start_cpu_s, one.lasted_s / one.n + expense.start_s)
            for one in seen
            if one.n
        ]
        if not each:
            return Load(0.0, 0.0)
        mean = sum(cpu_s for cpu_s, _ in each) / sum(lasted_s for _, lasted_s in each)
        return Load(mean, max(cpu_s / lasted_s for cpu_s, lasted_s in each))


class _Sum(NamedTuple):
    n: int = 0
    cpu_s: float = 0.0
    lasted_s: float = 0.0
