"""Recorded runs, to be compared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pronghorn.before_after.recorded import RecordedRun

from ..checks.runs import Loads, around, experiment, trials

MANIFEST: Mapping[str, Any] = {
    "program": "0.1.0",
    "started": "2026-11-21T00:00:00Z",
    "ended": "2026-11-21T00:10:00Z",
    "host": {"kernel": "6.1", "cores": 2, "load_average": 0.1},
    "origins": {"builtin": {"version": "1"}},
    "paths": {"lte": {"down": {"delay_ns": 1}}},
    "jobs": 1,
}


def recorded(
    loads: Mapping[str, Loads], *, shift: int = 0, arms: tuple[str, ...] = ("h1", "h2", "h3"), **notes: Any
) -> RecordedRun:
    """A run over the paths of `loads`, whose path seeds are shifted."""
    found = [trial.model_copy(update={"path_seed": trial.path_seed + shift}) for trial in trials(loads)]
    return RecordedRun(
        Path("runs/made"), experiment(tuple(loads), arms), {**MANIFEST, **notes}, {"small": "aa"}, found
    )


def one(h3: float, spread: float = 0.02, blocks: int = 12) -> dict[str, Loads]:
    return {
        "lte": {
            "h1": around(1.0, spread, blocks),
            "h2": around(1.0, 1.1 * spread, blocks),
            "h3": around(h3, spread, blocks),
        }
    }
