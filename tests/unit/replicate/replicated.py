"""A study's measurements without a network: every arm of every cell as it is told."""

from collections.abc import Callable, Mapping
from pathlib import Path
from zlib import crc32

import numpy as np

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.model.study import Study
from pronghorn.model.trial import Cell, Metrics, Trial
from pronghorn.replicate.measured import Measured, ReadRun
from pronghorn.replicate.planned import PlannedRun, Wanted, plan

from ..analysis.synthetic import trial

RESAMPLES = 500

Behaviour = Callable[[Cell, str], float]
"""An arm's value in a cell: seconds, or requests per second of a load."""


def planned(study: Study) -> list[PlannedRun]:
    """The study's runs at full size."""
    return plan([Wanted(study, tuple(study.runs))], "full", Path("nowhere"), blocks=None, seed=1)


def measured(study: Study, value: Behaviour, *, scatter: float = 0.002, blocks: int = 20) -> Measured:
    """Every run of the study with arms that behave so, from so many blocks; each scatters by itself, whatever
    other runs there are."""
    runs = {}
    for one in planned(study):
        rng = np.random.default_rng(crc32(one.name.encode()))
        runs[one.name] = _run(one, value, scatter, blocks, rng)
    return Measured(study, runs)


def _run(one: PlannedRun, value: Behaviour, scatter: float, blocks: int, rng: np.random.Generator) -> ReadRun:
    arms = [arm.name for arm in one.experiment.arms]
    trials = [
        _trial(cell, arm, block, value(cell, arm) * float(np.exp(scatter * rng.standard_normal())))
        for cell in one.experiment.cells()
        for arm in arms
        for block in range(blocks)
    ]
    cells: Mapping[Cell, CellTrials] = select(trials, arms)
    return ReadRun(one, cells, {"ended": "2026-01-01T00:00:00Z"}, len(trials), 0)


def _trial(cell: Cell, arm: str, block: int, value: float) -> Trial:
    if cell.client != "load":
        return trial(cell, arm, block, value, ttfb_s=value)
    made = trial(cell, arm, block, 1.0)
    return made.model_copy(update={"metrics": Metrics(load_s=1.0, requests_per_second=value)})
