"""From a command line to a run: its experiment resolved, its directory claimed."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.errors import InputError
from pronghorn.model import experiment_file
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.path import DIRECT
from pronghorn.model.recorded_site import SHIPPED
from pronghorn.model.stacks import CLIENTS, CONFIGURABLE, ORIGINS
from pronghorn.runs import catalogue
from pronghorn.runs.directory import EXPERIMENT, RunDirectory, default_name
from pronghorn.sites import known


class Request(NamedTuple):
    """What `pronghorn run` was asked: None where an option was not given."""

    experiment: str | None = None
    out: Path | None = None
    resume: Path | None = None
    jobs: int | None = None
    seed: int | None = None
    overrides: Sequence[str] = ()
    command_line: Sequence[str] = ()
    clock: str | None = None


def vocabulary() -> Vocabulary:
    """The names that experiments may use in this installation."""
    return Vocabulary((*known(), *SHIPPED), ORIGINS, CLIENTS, experiment_file.shipped_paths(), CONFIGURABLE)


def resolve(request: Request) -> Experiment:
    """The experiment that was asked for; InputError where the request or the experiment is wrong."""
    if request.jobs is not None and request.jobs < 1:
        raise InputError(f"--jobs {request.jobs}: at least 1 trial has to run at a time.")
    if request.resume is None:
        return _read(request, request.experiment, None)
    if request.out is not None:
        raise InputError("--out and --resume exclude each other: a resumed run stays in its directory.")
    stored_file = request.resume / EXPERIMENT
    if not stored_file.is_file():
        if request.experiment is None:
            raise InputError(
                f"{request.resume}: this is no run to resume: {EXPERIMENT} is missing.",
                hint=_of_a_map(request.resume),
            )
        return _read(request, request.experiment, None)
    stored = experiment_file.read(str(stored_file), vocabulary(), overrides=[], seed=None, recorded=True)
    again = _read(
        request,
        request.experiment or str(stored_file),
        stored.seed,
        recorded=request.experiment is None,
    )
    if request.experiment is not None and again.digest() != stored.digest():
        again = _as_fallen_back(again, stored).worded_as(stored)
    if again.digest() != stored.digest():
        raise InputError(
            f"{request.resume}: holds a run of another experiment or seed.",
            hint="Resume without an experiment, --seed or --set; or start a new run with --out.",
        )
    return again


def may_fall_back(request: Request) -> bool:
    """Whether the run may go over loopback on a host without namespaces: only where nobody asked for a path
    by name, or for knobs, of which a path's hosts honour some."""
    asked = any(
        override.partition("=")[0].strip().split(".")[0] in ("paths", "path", "knobs")
        for override in request.overrides
    )
    return request.experiment is None and request.resume is None and not asked


def claim(request: Request, experiment: Experiment) -> RunDirectory:
    """The run's directory, locked; InputError where it can't be had."""
    if request.resume is not None:
        return RunDirectory(request.resume, resume=True)
    return RunDirectory(request.out or default_name(experiment.name), resume=False)


def _read(
    request: Request, argument: str | None, stored_seed: int | None, *, recorded: bool = False
) -> Experiment:
    return experiment_file.read(
        argument,
        vocabulary(),
        overrides=[*request.overrides, *([f"clock={request.clock}"] if request.clock else [])],
        seed=request.seed,
        stored_seed=stored_seed,
        recorded=recorded,
    )


def _of_a_map(directory: Path) -> str | None:
    """Where to go on in a map's directory, whose batches are the runs, or in one that holds runs."""
    if not (directory / catalogue.MAP).is_file():
        within = catalogue.found(directory)
        return (
            f"This folder holds runs. To resume the last one: pronghorn run --resume {within[0].path}"
            if within
            else None
        )
    return f"This is a map: pronghorn map --resume {directory}. Its runs are in {directory / 'batches'}."


def _as_fallen_back(again: Experiment, stored: Experiment) -> Experiment:
    return again.on_direct() if [path.name for path in stored.paths] == [DIRECT] else again
