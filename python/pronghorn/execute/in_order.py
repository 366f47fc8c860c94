"""Records trials in the order in which their courses began, whenever they end, so that a journal in virtual
time is the same however many guests ran side by side."""

from collections.abc import Sequence

from pronghorn.model.trial import Trial
from pronghorn.plan import Block
from pronghorn.runs.journal import Journal

Course = Sequence[Block]


class InOrder:
    """The trials of `courses` on their way to the journal. Those of the first course that isn't over go there
    at once, those of later ones wait; few do, since courses begin in their order."""

    def __init__(self, journal: Journal, courses: Sequence[Course]) -> None:
        self._journal = journal
        self._left = [id(course) for course in courses]
        self._waiting: dict[int, list[Trial]] = {}
        self._over: set[int] = set()

    def append(self, course: Course, trial: Trial) -> Trial:
        """Records a trial of `course`, now or later; gives it as it is recorded."""
        if self._left and self._left[0] == id(course):
            return self._journal.append(trial)
        fitted = self._journal.fitted(trial)
        self._waiting.setdefault(id(course), []).append(fitted)
        return fitted

    def ends(self, course: Course) -> None:
        """No more trials of `course` come."""
        self._over.add(id(course))
        while self._left and self._left[0] in self._over:
            self._left.pop(0)
            if self._left:
                self._record(self._left[0])

    def close(self) -> None:
        """Records what waits, since what it waits for doesn't come any more."""
        for course in self._left:
            self._record(course)

    def _record(self, course: int) -> None:
        for trial in self._waiting.pop(course, ()):
            self._journal.append(trial)
