"""A journal skimmed for its trials' figures: what single requests did is read when a trial is looked at
closely, so that a run of very many trials needs no more memory than its figures."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pronghorn import journal
from pronghorn.model.lean import lean, resources
from pronghorn.model.trial import Resource, RunHeader, Trial, TrialKey

Whole = Callable[[Trial], Trial]
"""Gives a trial with everything that was recorded of it."""


def as_it_is(trial: Trial) -> Trial:
    """Of a trial that is whole."""
    return trial


class Skimmed(NamedTuple):
    """What a journal holds: its header (None where it is missing or unreadable), its trials' figures, the
    warnings about lines that could not be used, and where in the file each trial stands."""

    path: Path
    header: RunHeader | None
    trials: list[Trial]
    warnings: list[str]
    places: dict[TrialKey, int]

    def whole(self, trial: Trial) -> Trial:
        """One of its trials as it was recorded. OSError and ValidationError where the journal was changed
        meanwhile."""
        with self.path.open("rb") as file:
            file.seek(self.places[trial.key])
            return Trial.model_validate_json(file.readline())

    def requests(self, trial: Trial) -> list[Resource]:
        """What its resources' times were; errors as of `whole`, which takes many times as long."""
        with self.path.open("rb") as file:
            file.seek(self.places[trial.key])
            return resources(file.readline())


def skim(directory: Path) -> Skimmed:
    """The journal of the run in `directory`; empty where there is none.

    Lines that can't be used are set aside as by `journal.read`."""
    path = directory / journal.JOURNAL
    if not path.exists():
        return Skimmed(path, None, [], [], {})
    try:
        return _skimmed(path)
    except _Unusable:
        warnings = journal.read(directory).warnings
        return _skimmed(path)._replace(warnings=warnings)


class _Unusable(Exception):
    """A line is no record, or not the only one of its trial."""


def _skimmed(path: Path) -> Skimmed:
    header: RunHeader | None = None
    trials: list[Trial] = []
    places: dict[TrialKey, int] = {}
    with path.open("rb") as file, _without_collection():
        place = 0
        for line in file:
            if not line.endswith(b"\n"):
                raise _Unusable
            try:
                if place == 0 and line.startswith(b'{"type":"run"'):
                    header = RunHeader.model_validate_json(line)
                else:
                    trials.append(trial := lean(line))
                    if places.setdefault(trial.key, place) != place:
                        raise _Unusable
            except ValidationError as error:
                raise _Unusable from error
            place += len(line)
    return Skimmed(path, header, trials, [], places)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Without the search for cycles, which would go through all records again and again and find none."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
