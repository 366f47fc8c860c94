"""One cell's summary: its arms' figures and their comparisons with the baseline."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from pronghorn.analysis import background, contamination, discovery, words
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import UNDEFINED, Estimate, ratio_of_means, ratio_of_medians
from pronghorn.analysis.figures import figures, finite, thin
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.times import has_failed, times
from pronghorn.analysis.verdict import decide
from pronghorn.model import load
from pronghorn.model.summary import (
    HIGHER_IS_BETTER,
    LATENCIES,
    ArmSummary,
    CellSummary,
    Comparison,
    Metric,
    Statistic,
)
from pronghorn.model.trial import Cell, Trial

COMPARED: tuple[tuple[Metric, Statistic], ...] = (("load", "median"), ("load", "mean"), ("ttfb", "median"))
COMPARED_OF_LOADS: tuple[tuple[Metric, Statistic], ...] = (
    ("requests_per_second", "median"),
    ("requests_per_second", "mean"),
    ("load", "median"),
    *((metric, "median") for metric in LATENCIES),
)
DIMENSIONS = ("site", "path", "origin", "client")


_OF_FAILED_LOADS = (
    "Loads that were cut, or had requests that failed, count with what had succeeded (of a cut one over its "
    "whole limit); their total time is beyond the limit, and has no mean."
)


@dataclass(frozen=True)
class Terms:
    """What a cell is judged by: `margin` is a fraction, `seed` the experiment's, `title` the cell's name in
    words. Loads that are `timed` last as long as they were asked to: no comparison is made of that.
    """

    title: str
    baseline: str
    margin: float
    seed: int
    resamples: int
    timed: bool = False


def block_draws(cell: Cell, seed: int, arm: str, metric: Metric, statistic: Statistic) -> np.random.Generator:
    """What draws the blocks for a statistic of `arm` in a cell, whatever it is compared with: a verdict and
    an explanation of one comparison rest on the same resamples."""
    return generator(seed, "bootstrap", *(getattr(cell, key) for key in DIMENSIONS), arm, metric, statistic)


def summarise_cell(trials: CellTrials, terms: Terms) -> CellSummary:
    """The summary of a cell. A trial that failed in any arm takes the mean away from all of them."""
    any_failed = any(has_failed(trial) for block in trials.blocks for trial in block.values())
    arms = {arm: _arm(trials, arm, with_mean=not any_failed) for arm in trials.arms}
    comparisons = [
        _compare(trials, arms, arm, metric, statistic, terms)
        for arm in trials.arms
        if arm != terms.baseline
        for metric, statistic in compared(trials.cell, terms)
    ]
    leading: Metric = "requests_per_second" if trials.cell.client == load.CLIENT else "load"
    notes = [*background.notes(trials), *discovery.notes(trials), *contamination.notes(trials)]
    if any_failed and leading == "load":
        notes.insert(0, "No mean is shown, since trials failed; they count as the slowest of all.")
    if any_failed and leading != "load":
        notes.insert(0, _OF_FAILED_LOADS)
    return CellSummary(
        **trials.cell.model_dump(),
        title=terms.title,
        blocks=len(trials.blocks),
        abandoned=trials.abandoned,
        incomplete=trials.incomplete,
        arms=arms,
        comparisons=_with_objections(comparisons, leading),
        notes=notes,
    )


def compared(cell: Cell, terms: Terms) -> list[tuple[Metric, Statistic]]:
    """What is compared in a cell: of loads, requests per second first."""
    if cell.client != load.CLIENT:
        return list(COMPARED)
    return [pair for pair in COMPARED_OF_LOADS if pair[0] != "load" or not terms.timed]


def _arm(trials: CellTrials, arm: str, *, with_mean: bool) -> ArmSummary:
    mine = trials.of(arm)
    failed = [trial for trial in mine if has_failed(trial)]
    reasons = Counter(trial.reason or "not said" for trial in failed)
    protocols: Counter[str] = Counter()
    for trial in mine:
        protocols.update(trial.metrics.protocols)
    return ArmSummary(
        **figures(times(mine, "load"), with_mean=with_mean).model_dump(),
        n=len(mine),
        failed=len(failed),
        contaminated=trials.contaminated.get(arm, 0),
        failures=dict(sorted(reasons.items())),
        protocols=dict(sorted(protocols.items())),
        thin=thin(len(mine)),
        ttfb=figures(times(mine, "ttfb"), with_mean=with_mean),
        **_of_loads(trials.cell, mine, with_mean=with_mean),
    )


def _of_loads(cell: Cell, mine: list[Trial], *, with_mean: bool) -> dict[str, Any]:
    """The figures that only loads have; a rate has a mean whatever failed."""
    if cell.client != load.CLIENT:
        return {}
    return {
        "requests_per_second": figures(times(mine, "requests_per_second"), with_mean=True),
        "latency_seconds": {
            metric: figures(times(mine, metric), with_mean=with_mean) for metric in LATENCIES
        },
    }


def _compare(
    trials: CellTrials,
    arms: dict[str, ArmSummary],
    arm: str,
    metric: Metric,
    statistic: Statistic,
    terms: Terms,
) -> Comparison:
    rate = metric in HIGHER_IS_BETTER
    failed = not rate and any(each.failed for each in arms.values())
    estimate = (
        UNDEFINED if statistic == "mean" and failed else _estimate(trials, arm, metric, statistic, terms)
    )
    verdict, reason = decide(estimate, margin=terms.margin, blocks=len(trials.blocks), higher_is_better=rate)
    if finite(estimate.ratio) is None and failed:
        reason = "trials failed"
    found = Comparison(
        metric=metric,
        statistic=statistic,
        arm=arm,
        baseline=terms.baseline,
        ratio=finite(estimate.ratio),
        ci95=(finite(estimate.low), finite(estimate.high)),
        verdict=verdict,
        reason=reason,
        words="",
    )
    said = words.sentence(found, arms, title=terms.title, margin=terms.margin, blocks=len(trials.blocks))
    return found.model_copy(update={"words": said})


def _estimate(trials: CellTrials, arm: str, metric: Metric, statistic: Statistic, terms: Terms) -> Estimate:
    rng = block_draws(trials.cell, terms.seed, arm, metric, statistic)
    mine, theirs = (times(trials.of(name), metric) for name in (arm, terms.baseline))
    ratio_of = ratio_of_medians if statistic == "median" else ratio_of_means
    return ratio_of(mine, theirs, rng, resamples=terms.resamples)


def _with_objections(comparisons: list[Comparison], leading: Metric) -> list[Comparison]:
    """Adds to the words on the leading metric's median what the mean says otherwise."""
    means = {
        found.arm: found for found in comparisons if (found.metric, found.statistic) == (leading, "mean")
    }
    return [
        found.model_copy(update={"words": f"{found.words}; {said}"})
        if (found.metric, found.statistic) == (leading, "median")
        and (said := words.objection(found, means[found.arm])) is not None
        else found
        for found in comparisons
    ]
