"""The runs that stand for the studies asked for: their experiments, directories and expected duration."""

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.costs import cell_cost, cost
from pronghorn.errors import InputError, unknown
from pronghorn.model import study as studies
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_values import Clock
from pronghorn.model.study import Size, Study
from pronghorn.replicate import kept
from pronghorn.runs import directory as files
from pronghorn.runs import journal, prepare
from pronghorn.runs.prepare import Request
from pronghorn.sites.spec import SPECIFICATIONS

DEFAULT_FOLDER = Path("runs") / "replications"


class Wanted(NamedTuple):
    """A study, and which of its runs are asked for."""

    study: Study
    runs: tuple[str, ...]


class PlannedRun(NamedTuple):
    """One run: which of a study's, as what `experiment`, in which folder. `overrides` are those of `pronghorn
    run --set` that make it."""

    study: str
    name: str
    experiment: Experiment
    overrides: tuple[str, ...]
    folder: Path

    @property
    def is_done(self) -> bool:
        """Whether it was finished, or is kept from when it was."""
        if kept.is_kept(self.folder):
            return True
        reported = (self.folder / files.REPORT).is_file()
        return reported and files.read_manifest(self.folder).notes.get("ended") is not None

    @property
    def command(self) -> str:
        """The command that makes it by itself."""
        sets = [word for override in self.overrides for word in ("--set", override)]
        return shlex.join(["pronghorn", "run", self.shipped, *sets, "--seed", str(self.experiment.seed)])

    @property
    def shipped(self) -> str:
        """The name of the shipped experiment that it is made of."""
        return studies.read(self.study).runs[self.name].experiment

    @property
    def trials(self) -> int:
        """How many trials it takes, without repetitions."""
        return len(self.experiment.cells()) * self.experiment.repeat * len(self.experiment.arms)


def wanted(names: Sequence[str]) -> list[Wanted]:
    """The studies named, in order, each `STUDY` or `STUDY/RUN`; all of them where none is. InputError for an
    unknown one."""
    runs: dict[str, dict[str, None]] = {}
    for name in names or studies.names():
        study, _, run = name.partition("/")
        if study not in studies.names():
            raise InputError(unknown("study", study, studies.names()))
        known = studies.read(study).runs
        if run and run not in known:
            raise InputError(unknown(f"run of {study}", run, known))
        runs.setdefault(study, {}).update(dict.fromkeys([run] if run else known))
    return [
        Wanted(found := studies.read(study), tuple(run for run in found.runs if run in chosen))
        for study, chosen in runs.items()
    ]


def plan(
    asked: Sequence[Wanted],
    size: Size,
    folder: Path,
    *,
    blocks: int | None,
    seed: int | None,
    clock: Clock = "real",
) -> list[PlannedRun]:
    """The runs of the studies asked for; `blocks` replaces the size's number of them. InputError where a
    run's directory holds another experiment, or none of them is of that size."""
    found = [
        _planned(
            one.study, run, size, _folder(one.study, run, size, folder, blocks, clock), blocks, seed, clock
        )
        for one in asked
        for run in one.runs
        if one.study.runs[run].is_of(size)
    ]
    if not found:
        runs = [f"{one.study.name}/{run}" for one in asked for run in one.runs]
        raise InputError(f"{', '.join(runs)}: exists in full size only. Leave out --quick.")
    return found


def others(
    asked: Sequence[Wanted], size: Size, folder: Path, *, blocks: int | None, clock: Clock = "real"
) -> list[PlannedRun]:
    """The runs of these studies that weren't asked for and were begun at some other time, but for those of an
    experiment that isn't the study's any more."""
    found = []
    for one in asked:
        for run in one.study.runs:
            place = _folder(one.study, run, size, folder, blocks, clock)
            if run in one.runs or not (kept.is_kept(place) or (place / journal.JOURNAL).is_file()):
                continue
            with contextlib.suppress(InputError):
                found.append(_planned(one.study, run, size, place, blocks, None, clock))
    return found


def expected_s(experiment: Experiment) -> float:
    """Roughly how long a run takes, in seconds: cell after cell, as many trials side by side as the host can
    carry."""
    jobs = experiment.jobs or cost.default_jobs()
    whole = 0.0
    for cell in experiment.cells():
        total_bytes = SPECIFICATIONS[cell.site].total
        each = cell_cost.trial_s(experiment, cell, total_bytes)
        beside = cell_cost.beside(experiment, cell, total_bytes, jobs)
        whole += each * experiment.repeat * len(experiment.arms) / beside
    return whole


def _folder(study: Study, run: str, size: Size, folder: Path, blocks: int | None, clock: Clock) -> Path:
    label = size if blocks is None else f"{size}-{blocks}"
    if clock == "virtual":
        label += "-virtual"
    return folder / f"{study.name}-{run}-{label}"


def _planned(
    study: Study,
    run: str,
    size: Size,
    folder: Path,
    blocks: int | None,
    seed: int | None,
    clock: Clock,
) -> PlannedRun:
    its = study.runs[run]
    overrides = its.overrides(size)
    if blocks is not None:
        others = [one for one in overrides if not one.startswith("repeat=")]
        overrides = (*others, f"repeat={blocks}")
    if clock == "virtual":
        overrides = (*overrides, "clock=virtual")
    stored = (folder / files.EXPERIMENT).is_file()
    request = Request(
        experiment=its.experiment, resume=folder, overrides=overrides, seed=None if stored else seed
    )
    return PlannedRun(study.name, run, prepare.resolve(request), overrides, folder)
