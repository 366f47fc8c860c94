"""Whether a trial is one of an experiment's: a record of another one is no part of its run."""

from collections.abc import Callable

from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial


def of(experiment: Experiment) -> Callable[[Trial], str | None]:
    """Why a trial is none of an experiment's runs, as a clause; None where it is one: of its cells, its arms,
    its blocks, and so many attempts at each."""
    cells = set(experiment.cells())
    arms = {arm.name for arm in experiment.arms}

    def belongs(trial: Trial) -> str | None:
        if trial.cell not in cells:
            return "a trial of no cell of the experiment"
        if trial.arm not in arms:
            return "a trial of no arm of the experiment"
        if trial.block >= experiment.repeat:
            return f"a trial of block {trial.block}, but the experiment has {experiment.repeat}"
        if trial.attempt >= experiment.attempts:
            return f"attempt {trial.attempt} of a block, which is tried {experiment.attempts} times at most"
        return None

    return belongs
