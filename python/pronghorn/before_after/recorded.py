"""A run as its directory tells it. Nothing there is changed or locked: it may be an archive, or read-only."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn import journal
from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.errors import InputError
from pronghorn.execute import directory as files
from pronghorn.execute.prepare import Request, resolve
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial


class RecordedRun(NamedTuple):
    """A run: where it was found, its experiment, its manifest, the SHA-256 of its sites and its trials, and
    the warnings about lines of its journal that can't be used."""

    path: Path
    experiment: Experiment
    manifest: Mapping[str, Any]
    sites: Mapping[str, str]
    trials: list[Trial]
    warnings: Sequence[str] = ()

    def cells(self) -> dict[Cell, CellTrials]:
        """The trials that count, by cell."""
        return select(self.trials, self.arms)

    @property
    def arms(self) -> list[str]:
        """The names of its arms, in the experiment's order."""
        return [arm.name for arm in self.experiment.arms]


def read(run: Path) -> RecordedRun:
    """The run in a directory; InputError where there is none, or no trial of it."""
    if not run.is_dir():
        raise InputError(f"{run}: no such run.")
    experiment = resolve(Request(resume=run))
    contents = journal.look(run)
    if contents.header is not None and contents.header.experiment != experiment.digest():
        raise InputError(
            f"{run / journal.JOURNAL}, line 1: these trials are of another experiment than "
            f"{files.EXPERIMENT} describes."
        )
    if not contents.trials:
        raise InputError(f"{run}: no trial is recorded there yet.", hint=f"pronghorn run --resume {run}")
    sites = contents.header.sites if contents.header is not None else {}
    notes = files.read_manifest(run)
    return RecordedRun(run, experiment, notes, sites, contents.trials, contents.warnings)
