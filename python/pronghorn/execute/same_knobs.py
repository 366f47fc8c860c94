"""Whether a run that goes on asks for what its trials were asked for: what `fair = true` asks for depends
on the program, the user and the host, which an experiment's digest doesn't know."""

from collections.abc import Iterable
from pathlib import Path

from pronghorn.errors import InputError
from pronghorn.knobs import effective
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial


def check(trials: Iterable[Trial], experiment: Experiment, journal: Path) -> None:
    """InputError for the first of the `trials` in `journal` which was asked for other knobs than its arm
    would be now."""
    asked = {
        (cell, arm.name): effective.of_arm(experiment, cell, arm).asked()
        for cell in experiment.cells()
        for arm in experiment.arms
    }
    for trial in trials:
        then = trial.knobs
        now = asked.get((trial.cell, trial.arm), then)
        for name in sorted(now.keys() | then.keys()):
            if now.get(name) != then.get(name):
                raise InputError(
                    f"{journal}: arm '{trial.arm}' on {trial.cell} began with {name} = {then.get(name)}, "
                    f"and would now have {now.get(name)}. fair = true asks for what this version of the "
                    "program, this user and this host support.",
                    hint="Resume it on the host where it began, or start a new run with --out. "
                    "'pronghorn report' renews its report.",
                )
