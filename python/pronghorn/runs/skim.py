"""A journal skimmed for its trials' figures: what single requests did is read when a trial is looked at
closely, so that a run of very many trials needs no more memory than its figures."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from pronghorn.model.trial import Resource, RunHeader, Trial, TrialKey
from pronghorn.runs import journal
from pronghorn.runs.journal import Belongs
from pronghorn.runs.slim_trials import resources, slim

T = TypeVar("T")

Whole = Callable[[Trial], Trial]
"""Gives a trial with everything that was recorded about it."""


def as_it_is(trial: Trial) -> Trial:
    """Of a trial that is whole."""
    return trial


class Unusable(Exception):
    """A line of a journal turned out to be no record where a closer look needed what skimming passes over.
    Once `journal.read` has set it aside, what was done can be done anew."""


class Skimmed(NamedTuple):
    """What a journal holds: its header (None where it is missing or unreadable), its trials' figures, the
    warnings about lines that could not be used, and where in the file each trial stands."""

    path: Path
    header: RunHeader | None
    trials: list[Trial]
    warnings: list[str]
    places: dict[TrialKey, int]

    def whole(self, trial: Trial) -> Trial:
        """One of its trials as it was recorded. Unusable where its line can't be used after all, or the
        journal was changed meanwhile; OSError where it can't be read."""
        return self._looked_at(trial, Trial.model_validate_json)

    def requests(self, trial: Trial) -> list[Resource]:
        """What its resources' times were; errors as of `whole`, which takes many times as long."""
        return self._looked_at(trial, resources)

    def _looked_at(self, trial: Trial, decode: Callable[[bytes], T]) -> T:
        with self.path.open("rb") as file:
            file.seek(self.places[trial.key])
            line = file.readline(journal.MOST_LINE)
        try:
            return decode(line)
        except ValidationError as error:
            raise Unusable(str(trial.key)) from error


def skim(directory: Path, belongs: Belongs | None = None) -> Skimmed:
    """The journal of the run in `directory`; empty where there is none.

    Lines that can't be used are set aside as by `journal.read`, as far as skimming sees them."""
    found = journal.read_by(directory, slim, belongs)
    return Skimmed(directory / journal.JOURNAL, *found.contents, found.places)


def through(directory: Path, use: Callable[[Skimmed], T], belongs: Belongs | None = None) -> T:
    """What `use` makes of the skimmed journal. Where it meets a line that is no record in what skimming
    passes over, the whole journal is read, which sets such lines aside, and `use` begins anew."""
    try:
        return use(skim(directory, belongs))
    except Unusable:
        warnings = journal.read(directory, belongs).warnings
        return use(skim(directory, belongs)._replace(warnings=warnings))
