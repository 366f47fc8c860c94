"""What was measured of a study: its runs' cells, and where in them each term of an expression lies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from pronghorn import reading
from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.claims.sampled import Locate, Located
from pronghorn.analysis.failing import commonest
from pronghorn.model import belonging, bounds
from pronghorn.model.expression import Expression, Term
from pronghorn.model.loaded import Failure
from pronghorn.model.study import Factor, Setting, Study, Where
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, Trial
from pronghorn.replicate import kept
from pronghorn.replicate.planned import PlannedRun
from pronghorn.replicate.result import Apart
from pronghorn.runs import directory as files
from pronghorn.runs import journal, left_out
from pronghorn.runs.skim import skim

_NOTHING = Where()


class ReadRun(NamedTuple):
    """A run as far as it was made: its cells, its manifest, how many trials it has, how many were discarded
    as contaminated and of which arms at least half, and what its summary explains, where it was finished; how
    many of its trials `succeeded`, and the commonest failure of the others."""

    planned: PlannedRun
    cells: Mapping[Cell, CellTrials]
    notes: Mapping[str, Any]
    trials: int
    contaminated: int
    explanations: Sequence[str] = ()
    spoilt: Mapping[str, tuple[int, int]] = {}
    succeeded: int = 0
    failure: Failure | None = None

    @property
    def hosts(self) -> set[tuple[str, ...]]:
        """The kinds of host that it was made on, by their CPUs."""
        sessions = [self.notes, *self.notes.get("resumed", [])]
        found = (one.get("host") or {} for one in sessions)
        return {tuple(str(host.get(key)) for key in ("cpu", "cores", "machine")) for host in found}


class Measured(NamedTuple):
    """A study and its runs by name; those that weren't made are missing."""

    study: Study
    runs: Mapping[str, ReadRun]

    def locate(self, setting: Setting, factor: Factor | None = None) -> Locate:
        """Where terms lie in a setting, changed by a factor."""

        def found(term: Term) -> Located | None:
            order = (
                factor if factor is not None and _holds(factor, term.case, setting) else _NOTHING,
                setting.cases.get(term.case, _NOTHING),
                self.study.cases.get(term.case, _NOTHING),
                setting,
            )
            run = self.runs.get(_first(order, "run") or "")
            if run is None:
                return None
            wanted = {key: _first(order, key) for key in ("site", "path", "origin", "client")}
            wanted["path"] = wanted["path"] or term.case
            names = (order[0].arms, order[1].arms, setting.arms, order[2].arms, self.study.arms)
            arm = next((one[term.arm] for one in names if term.arm in one), term.arm)
            cell = _only(run.cells, wanted)
            return Located(cell, arm) if cell is not None and arm in cell.arms else None

        return found

    def apart(self, compared: Expression, before: Locate, after: Locate) -> Apart:
        """What lies between two places of an expression's terms besides what was meant to."""
        runs = {id(cell): run for run in self.runs.values() for cell in run.cells.values()}
        here, there = (
            [runs[id(at.trials)] for term in compared.terms if (at := locate(term)) is not None]
            for locate in (before, after)
        )
        if {one.planned.name for one in here} == {one.planned.name for one in there}:
            return "one run"
        hosts = set().union(*(one.hosts for one in (*here, *there)))
        return "runs" if len(hosts) == 1 else "hosts"

    def trials(self, compared: Expression, locate: Locate) -> list[str]:
        """The trials behind an expression's terms, `RUN: ARM on CELL` each, as far as there are any."""
        runs = {id(cell): run for run in self.runs.values() for cell in run.cells.values()}
        found = (at for term in compared.terms if (at := locate(term)) is not None)
        return [f"{runs[id(at.trials)].planned.name}: {at.arm} on {at.trials.cell}" for at in found]

    def spoilt(self, compared: Expression, locate: Locate) -> dict[str, tuple[int, int]]:
        """Of the arms behind an expression those of which at least half of the loads were contaminated."""
        found = [at for term in compared.terms if (at := locate(term)) is not None]
        names = {(f"{at.arm} on {at.trials.cell}", id(at.trials)) for at in found}
        return {
            where: numbers
            for run in self.runs.values()
            for where, numbers in run.spoilt.items()
            if any((where, id(trials)) in names for trials in run.cells.values())
        }


def measured(study: Study, planned: Sequence[PlannedRun]) -> Measured:
    """Reads the study's runs from their directories, or what was kept of them."""
    ours = [one for one in planned if one.study == study.name]
    return Measured(study, {one.name: read for one in ours if (read := _read(one)) is not None})


def keep(planned: Sequence[PlannedRun], folder: Path) -> list[Path]:
    """Keeps those of the runs that are finished in `folder`, each in one of its own; gives these."""
    written = []
    for one in planned:
        if one.is_done and not kept.is_kept(one.folder):
            place = folder / one.folder.name
            trials, notes = _recorded(one)
            kept.keep(one.folder, place, trials, notes, _explanations(one.folder))
            written.append(place)
    return written


def _read(run: PlannedRun) -> ReadRun | None:
    if kept.is_kept(run.folder):
        notes = _noted(run.folder)
        return _sorted(run, kept.trials(run.folder), notes, notes.get(kept.EXPLANATIONS) or [])
    if not (run.folder / journal.JOURNAL).is_file():
        return None
    trials, notes = _recorded(run)
    return _sorted(run, trials, notes, _explanations(run.folder))


def _recorded(run: PlannedRun) -> tuple[list[Trial], dict[str, Any]]:
    """A run's trials and its manifest."""
    skimmed = skim(run.folder, belonging.of(run.experiment))
    left_out.say(skimmed.warnings)
    return skimmed.trials, _noted(run.folder)


def _noted(folder: Path) -> dict[str, Any]:
    manifest = files.read_manifest(folder)
    left_out.say(manifest.warnings)
    return manifest.notes


def _sorted(
    run: PlannedRun, trials: Sequence[Trial], notes: Mapping[str, Any], explanations: Sequence[str]
) -> ReadRun:
    cells = select(trials, [arm.name for arm in run.experiment.arms])
    tried = Counter(f"{trial.arm} on {trial.cell}" for trial in trials)
    discarded = Counter(f"{one.arm} on {one.cell}" for one in trials if one.status == "contaminated")
    spoilt = {
        where: (number, tried[where]) for where, number in discarded.items() if 2 * number >= tried[where]
    }
    failed = [trial for trial in trials if trial.status == "failed"]
    return ReadRun(
        run,
        cells,
        notes,
        len(trials),
        discarded.total(),
        explanations,
        spoilt,
        succeeded=sum(trial.status == "ok" or bool(trial.metrics.requests_per_second) for trial in trials),
        failure=commonest(failed),
    )


def _explanations(folder: Path) -> list[str]:
    file = folder / files.SUMMARY
    if not file.is_file():
        return []
    try:
        content = reading.content(file, reading.MOST_ARTIFACT, "a summary")
        return [one.words for one in Summary.model_validate_json(content).explanations]
    except reading.Unreadable as error:
        left_out.say([f"{file}: {error}. Its explanations are left out."])
    except ValidationError as error:
        left_out.say([f"{file}: {bounds.wrong(error)}. Its explanations are left out."])
    return []


def _first(order: Sequence[Where], key: str) -> str | None:
    """What the first of them that says anything of it says."""
    return next((value for one in order if (value := getattr(one, key)) is not None), None)


def _holds(factor: Factor, case: str, setting: Setting) -> bool:
    of_cases = factor.cases is None or case in factor.cases
    return of_cases and (factor.settings is None or setting.name in factor.settings)


def _only(cells: Mapping[Cell, CellTrials], wanted: Mapping[str, str | None]) -> CellTrials | None:
    """The one cell that is as wanted; ValueError where the study leaves several to choose from."""
    found = [
        trials
        for cell, trials in cells.items()
        if all(value is None or getattr(cell, key) == value for key, value in wanted.items())
    ]
    if len(found) > 1:
        raise ValueError(f"{wanted} names {len(found)} cells: {', '.join(str(one.cell) for one in found)}")
    return found[0] if found else None
