"""A run as its directory tells it. Nothing there is changed or locked: it may be an archive, or read-only."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.errors import InputError
from pronghorn.model import belonging
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial
from pronghorn.runs import directory as files
from pronghorn.runs import journal
from pronghorn.runs.prepare import Request, resolve


class RecordedRun(NamedTuple):
    """A run: where it was found, its experiment, its manifest, the SHA-256 of its sites and its trials, and
    the warnings about lines of its journal that can't be used, and about what of its manifest can't
    (`unknown`). `origin_names` and `arm_names` are what some
    of its origins and arms are called in the run with which it is compared."""

    path: Path
    experiment: Experiment
    manifest: Mapping[str, Any]
    sites: Mapping[str, str]
    trials: list[Trial]
    warnings: Sequence[str] = ()
    unknown: Sequence[str] = ()
    origin_names: Mapping[str, str] = MappingProxyType({})
    arm_names: Mapping[str, str] = MappingProxyType({})

    def cells(self) -> dict[Cell, CellTrials]:
        """The trials that count, by cell; cells and arms under the other run's names."""
        found = select(self.trials, [arm.name for arm in self.experiment.arms])
        return {self.named(cell): self._named(trials) for cell, trials in found.items()}

    @property
    def arms(self) -> list[str]:
        """The names of its arms, in the experiment's order."""
        return [self.arm_names.get(arm.name, arm.name) for arm in self.experiment.arms]

    def named(self, cell: Cell) -> Cell:
        """A cell of this run under the other run's names."""
        return cell.model_copy(update={"origin": self.origin_names.get(cell.origin, cell.origin)})

    def noted(self, what: str) -> Mapping[str, Any]:
        """What its manifest says of its `origins` or its `arms`, under the other run's names."""
        names = self.origin_names if what == "origins" else self.arm_names
        notes = self.manifest.get(what)
        found = notes if isinstance(notes, Mapping) else {}
        return {names.get(name, name): told for name, told in found.items()}

    def _named(self, trials: CellTrials) -> CellTrials:
        blocks = tuple(
            {self.arm_names.get(arm, arm): trial for arm, trial in block.items()} for block in trials.blocks
        )
        return replace(trials, cell=self.named(trials.cell), arms=tuple(self.arms), blocks=blocks)


def read(run: Path) -> RecordedRun:
    """The run in a directory; InputError where there is none, or no trial of it."""
    if not run.is_dir():
        raise InputError(f"{run}: no such run.")
    experiment = resolve(Request(resume=run))
    contents = journal.look(run, belonging.of(experiment))
    if contents.header is not None and contents.header.experiment != experiment.digest():
        raise InputError(
            f"{run / journal.JOURNAL}, line 1: these trials belong to another experiment than "
            f"{files.EXPERIMENT} describes."
        )
    if not contents.trials:
        raise InputError(f"{run}: has no recorded trial yet.", hint=f"pronghorn run --resume {run}")
    sites = contents.header.sites if contents.header is not None else {}
    noted = files.read_manifest(run)
    return RecordedRun(
        run, experiment, noted.notes, sites, contents.trials, contents.warnings, noted.warnings
    )
