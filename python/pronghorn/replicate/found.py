"""From a study's measured runs to what they say."""

import math
from collections.abc import Sequence

from pronghorn.analysis.bootstrap import RESAMPLES
from pronghorn.analysis.claims.sampled import Sampler
from pronghorn.model.study import Size
from pronghorn.replicate.effects import effects
from pronghorn.replicate.measured import Measured, ReadRun
from pronghorn.replicate.planned import PlannedRun
from pronghorn.replicate.readings import claims
from pronghorn.replicate.result import RunFound, StudyFound

SEED = 1
"""Of the resamples: equal trials give equal intervals."""


def study(
    measured: Measured, planned: Sequence[PlannedRun], size: Size, *, resamples: int = RESAMPLES
) -> StudyFound:
    """What the runs say of the study."""
    sampler = Sampler(SEED, resamples)
    return StudyFound(
        study=measured.study.name,
        title=measured.study.title,
        size=size,
        runs=[_run(one, measured.runs.get(one.name)) for one in planned if one.study == measured.study.name],
        claims=claims(measured, sampler),
        effects=effects(measured, sampler),
    )


def _run(planned: PlannedRun, read: ReadRun | None) -> RunFound:
    walls = [
        trial.metrics.wall_s
        for cell in (read.cells.values() if read else ())
        for block in cell.blocks
        for trial in block.values()
    ]
    return RunFound(
        name=planned.name,
        experiment=planned.experiment.name,
        directory=str(planned.folder),
        command=planned.command,
        seed=planned.experiment.seed,
        finished=read is not None and read.notes.get("ended") is not None,
        trials=read.trials if read else 0,
        used=len(walls),
        contaminated=read.contaminated if read else 0,
        spoilt=dict(read.spoilt) if read else {},
        wall_s=math.fsum(walls) if walls else None,
        notes=dict(read.notes) if read else {},
        explanations=list(read.explanations) if read else [],
    )
