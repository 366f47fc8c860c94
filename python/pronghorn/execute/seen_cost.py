"""What trials cost, as a run has seen it: better than any guess from path and site."""

from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.execute import cost
from pronghorn.execute.cost import Expense
from pronghorn.model.trial import Cell, Trial


class SeenCost:
    """The CPU time and the duration of the loads of each arm in each cell."""

    def __init__(self, trials: Iterable[Trial] = ()) -> None:
        self._sums: dict[tuple[Cell, str], _Sum] = {}
        for trial in trials:
            self.add(trial)

    def add(self, trial: Trial) -> None:
        """Takes note of a trial, whatever came of it, unless its load never began."""
        page, host = trial.page, trial.counters.host if trial.counters else None
        if page is None or not (page.connections or page.resources) or host is None or host.cpu is None:
            return
        share = host.cpu
        if share.own_share <= 0:
            return
        of = trial.cell, trial.arm
        before = self._sums.get(of, _Sum())
        lasted_s = share.own_s / share.own_share / cost.cores()
        self._sums[of] = _Sum(before.n + 1, before.cpu_s + share.own_s, before.lasted_s + lasted_s)

    def busy_cores(self, cell: Cell, arm: str, expense: Expense) -> float | None:
        """How many cores a trial of `arm` in `cell` keeps busy from its client's start on; None where no load
        has been seen."""
        seen = self._sums.get((cell, arm))
        if seen is None:
            return None
        cpu_s = seen.cpu_s + seen.n * expense.start_cpu_s
        return cpu_s / (seen.lasted_s + seen.n * expense.start_s)


class _Sum(NamedTuple):
    n: int = 0
    cpu_s: float = 0.0
    lasted_s: float = 0.0
