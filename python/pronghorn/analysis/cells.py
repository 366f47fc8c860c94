"""One cell's summary: its arms' figures and their comparisons with the baseline."""

from collections import Counter
from typing import Any

from pronghorn.analysis import (
    background,
    comparing,
    contamination,
    discovery,
    failing,
    loaded,
    parts,
    parts_words,
    stopping,
)
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.comparing import Column, Values
from pronghorn.analysis.figures import figures, thin
from pronghorn.analysis.resources import BLOCKS, Requests, of_trial, resources
from pronghorn.analysis.terms import Terms
from pronghorn.analysis.times import has_failed
from pronghorn.model import load
from pronghorn.model.summary import LATENCIES, ArmSummary, CellSummary, Figures, Metric

_OF_FAILED_LOADS = (
    "Loads that were cut or had failed requests count with the requests that succeeded, and a cut load "
    "over its whole limit. Their total time is beyond the limit, so it has no mean."
)


def summarise_cell(
    trials: CellTrials, terms: Terms, requests: Requests = of_trial, most: int = BLOCKS
) -> CellSummary:
    """The summary of a cell. A trial that failed in any arm takes the mean away from all of them. `requests`
    gives the resources of a trial's load, which are looked at in the `most` so many blocks."""
    found = comparing.values(trials)
    confidence = terms.stage.confidence if terms.stage.pending is None else None
    arms = {arm: _arm(trials, arm, found, confidence) for arm in trials.arms}
    notes = [*background.notes(trials), *discovery.notes(trials), *contamination.notes(trials)]
    if found.any_failed and trials.cell.client != load.CLIENT:
        notes.insert(0, "No mean is shown because trials failed. Failed trials count as the slowest of all.")
    if found.any_failed and trials.cell.client == load.CLIENT:
        notes.insert(0, _OF_FAILED_LOADS)
    notes[:0] = [
        failing.note(name, arm.failure, arm.failed, arm.n)
        for name, arm in arms.items()
        if arm.failure is not None and arm.failure.detail and arm.failed < arm.n
    ]
    summary = CellSummary(
        **trials.cell.model_dump(),
        title=terms.title,
        blocks=len(trials.blocks),
        abandoned=trials.abandoned,
        incomplete=trials.incomplete,
        arms=arms,
        comparisons=comparing.comparisons(trials, found, arms, terms),
        notes=notes,
        resources=resources(trials, requests, terms, most),
        why=parts.parts(trials),
        loaded_words=loaded.words(arms),
    )
    summary.why_words = parts_words.sentences(summary, terms.baseline)
    return stopping.told(summary, terms.sampling, terms.stage)


def _arm(trials: CellTrials, arm: str, found: Values, confidence: float | None) -> ArmSummary:
    mine = trials.of(arm)
    failed = [trial for trial in mine if has_failed(trial)]
    reasons = Counter(trial.reason or "not said" for trial in failed)
    protocols: Counter[str] = Counter()
    for trial in mine:
        protocols.update(trial.metrics.protocols)
    with_mean = not found.any_failed
    return ArmSummary(
        **figures(
            found.columns[Column(arm, "load")], with_mean=with_mean, confidence=confidence
        ).model_dump(),
        n=len(mine),
        failed=len(failed),
        contaminated=trials.contaminated.get(arm, 0),
        failures=dict(sorted(reasons.items())),
        failure=failing.commonest(failed),
        discard=failing.commonest(trials.discarded.get(arm, [])),
        loaded=loaded.loaded(mine),
        protocols=dict(sorted(protocols.items())),
        thin=thin(len(mine)),
        **_others(arm, found, confidence, with_mean=with_mean),
    )


def _others(arm: str, found: Values, confidence: float | None, *, with_mean: bool) -> dict[str, Any]:
    """The figures of what else the cell's trials tell; a rate has a mean whatever failed."""

    def of(metric: Metric) -> Figures:
        with_its_mean = with_mean or metric == "requests_per_second"
        return figures(found.columns[Column(arm, metric)], with_mean=with_its_mean, confidence=confidence)

    singly: tuple[Metric, ...] = ("ttfb", "lcp", "requests_per_second")
    latencies = {metric: of(metric) for metric in LATENCIES if Column(arm, metric) in found.columns}
    return {
        **{metric: of(metric) for metric in singly if Column(arm, metric) in found.columns},
        "latency_seconds": latencies,
    }
