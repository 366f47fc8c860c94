"""The summary of a run's trials, as its experiment asks for it."""

from typing import Any

from pronghorn.analysis.resources import Requests, of_trial
from pronghorn.analysis.summarise import Design, Loads
from pronghorn.analysis.summarise import summarise as analyse
from pronghorn.model import load
from pronghorn.model.experiment import Experiment
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial


def summarise(
    experiment: Experiment,
    trials: list[Trial],
    notes: dict[str, Any],
    requests: Requests = of_trial,
) -> Summary:
    """The summary of a run's `trials`, with the label and the warnings that its manifest `notes` hold;
    `requests` gives the resources of trials that lack them."""
    design = Design(
        name=experiment.name,
        arms=[arm.name for arm in experiment.arms],
        baseline=experiment.baseline,
        margin=experiment.margin,
        margin_s=experiment.margin_s,
        seed=experiment.seed,
        limit_s=experiment.limit_s,
        cells=experiment.cells(),
        explanations=experiment.explain,
        sampling=experiment.sampling,
        virtual=experiment.in_guests,
        loads=Loads(
            timed=experiment.load is not None and experiment.load.duration is not None,
            limit_s=experiment.limit_of(load.CLIENT) if experiment.load else None,
            published=experiment.published,
        ),
    )
    warnings = [f"{warning['text']} {warning['remedy']}" for warning in notes.get("warnings", [])]
    return analyse(trials, design, label=notes.get("label"), notes=warnings, requests=requests)
