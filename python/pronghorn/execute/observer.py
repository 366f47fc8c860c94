"""What a run tells whoever watches it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pronghorn.execute.trial import Assignment
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial


class Outlook(NamedTuple):
    """What lies ahead when a run starts: its trials, those recorded earlier, the jobs, what a trial of each
    cell is expected to take in seconds, and how many of them the host is expected to carry side by side."""

    experiment: Experiment
    recorded: Sequence[Trial]
    jobs: int
    expected_s: dict[Cell, float]
    beside: dict[Cell, float]


class Observer(Protocol):
    """A watcher of a run. Its methods must return at once: the run waits for them."""

    def begins(self, outlook: Outlook) -> None:
        """The run begins."""
        ...

    def starts(self, assignment: Assignment) -> None:
        """A trial starts."""
        ...

    def ends(self, trial: Trial) -> None:
        """A trial was recorded."""
        ...

    def settles(self, cell: Cell) -> None:
        """A cell that was sampled until its answer is known gets no further blocks."""
        ...

    def warns(self, text: str) -> None:
        """Something that a person should know now."""
        ...
