"""Runs kept for whoever doubts a page: of each what its page rests on, small enough for a repository.

    experiment.toml   as it was resolved, with the seed
    manifest.json     host, versions, arms, warnings, what explains the arms' differences; no path of the host
    trials.csv        a line a trial, contaminated ones included; times in seconds, empty where there is none

Read again they give the same claims as the runs themselves.
"""

import csv
import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from pronghorn import reading
from pronghorn.errors import HostError, InputError
from pronghorn.model import bounds
from pronghorn.model.cell import PLACES
from pronghorn.model.trial import Metrics, Trial
from pronghorn.runs import directory as files

TRIALS = "trials.csv"

MOST_BYTES = 256 * 2**20
"""Of a table of trials."""

NOTES = (
    *(
        "program",
        "engine",
        "commit",
        "started",
        "ended",
        "name",
        "seed",
        "experiment",
        "fair",
        "jobs",
        "isolation",
    ),
    *(
        "host",
        "sysctls",
        "bench_sysctls",
        "libraries",
        "origins",
        "clients",
        "arms",
        "certificate",
        "offloads",
    ),
    *("overhead_s", "discards", "warnings", "resumed"),
)
"""The parts of a manifest that are kept."""

EXPLANATIONS = "explanations"

_CELL = PLACES
_COUNTS = ("block", "attempt", "position")
_TEXT = ("started", "status", "reason")
_SECONDS = ("load_s", "ttfb_s", "requests_per_second", "wall_s")
COLUMNS = (*_CELL, "arm", *_COUNTS, *_TEXT, *_SECONDS)


def is_kept(folder: Path) -> bool:
    """Whether a folder holds a run that was kept."""
    return (folder / TRIALS).is_file()


def keep(
    run: Path, folder: Path, trials: Sequence[Trial], notes: dict[str, Any], explanations: Sequence[str]
) -> None:
    """Keeps the finished run in `run`, whose trials and manifest are given, in `folder`. HostError where that
    can't be written."""
    told = {key: _portable(notes[key]) for key in NOTES if key in notes} | {EXPLANATIONS: list(explanations)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(run / files.EXPERIMENT, folder / files.EXPERIMENT)
        (folder / files.MANIFEST).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        with (folder / TRIALS).open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(COLUMNS)
            lines.writerows(_line(trial) for trial in trials)
    except OSError as error:
        raise HostError(f"{folder}: can't be written: {error.strerror}.") from error


def trials(folder: Path) -> list[Trial]:
    """The trials of a run that was kept, with the figures that are kept of them. InputError where the file is
    damaged."""
    file = folder / TRIALS
    found = []
    lines = csv.DictReader(io.StringIO(reading.asked(file, MOST_BYTES, "a table of trials"), newline=""))
    try:
        if tuple(lines.fieldnames or ()) != COLUMNS:
            raise InputError(f"{file}: its columns have to be {', '.join(COLUMNS)}.")
        for line in lines:
            found.append(_trial(line))
    except ValidationError as error:
        raise InputError(f"{file}, line {lines.line_num}: this is no trial: {bounds.wrong(error)}.") from None
    except (ValueError, TypeError, csv.Error) as error:
        raise InputError(f"{file}, line {lines.line_num}: this is no trial: {error}.") from None
    return found


def _line(trial: Trial) -> list[object]:
    cell = [getattr(trial.cell, key) for key in _CELL]
    told = [getattr(trial, key) for key in (*_COUNTS, *_TEXT)]
    figures = [getattr(trial.metrics, key) for key in _SECONDS]
    return ["" if value is None else value for value in (*cell, trial.arm, *told, *figures)]


def _trial(line: dict[str, str]) -> Trial:
    figures = {key: float(line[key]) for key in _SECONDS if line[key] != ""}
    return Trial.model_validate(
        {
            "cell": {key: line[key] for key in _CELL},
            "arm": line["arm"],
            **{key: int(line[key]) for key in _COUNTS},
            **{key: line[key] or None for key in _TEXT},
            "path_seed": 0,
            "slot": 0,
            "metrics": Metrics.model_validate(figures),
        }
    )


def _portable(value: Any) -> Any:
    """`value` with the names of this host's files in the place of their paths."""
    if isinstance(value, dict):
        return {key: _portable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_portable(one) for one in value]
    if isinstance(value, str) and value.startswith("/") and " " not in value:
        return PurePosixPath(value).name
    return value
