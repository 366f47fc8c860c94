"""A run's summary: its cells in order, and the headline over all of them."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis import claims, correction, likeness, resources, stopping, words
from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.bootstrap import RESAMPLES
from pronghorn.analysis.cells import summarise_cell
from pronghorn.analysis.contrasts import contrasts
from pronghorn.analysis.explain import explain
from pronghorn.analysis.resources import Requests, of_trial
from pronghorn.analysis.terms import Terms
from pronghorn.analysis.titles import name_cells
from pronghorn.analysis.unmeasured import unmeasured
from pronghorn.model import load, study
from pronghorn.model.explanation import Explanation
from pronghorn.model.sampling import Sampling
from pronghorn.model.summary import Claim, Summary
from pronghorn.model.trial import Cell, Trial


class Loads(NamedTuple):
    """What is known of a run's loads: whether they are `timed`, lasting as long as asked; what cuts them;
    the published measurements that they are held against."""

    timed: bool = False
    limit_s: float | None = None
    published: str | None = None


NO_LOADS = Loads()


def summarise(
    trials: Sequence[Trial],
    *,
    name: str,
    arms: Sequence[str],
    baseline: str,
    seed: int,
    limit_s: float,
    margin: float = 0.03,
    margin_s: float | None = None,
    cells: Sequence[Cell] | None = None,
    label: str | None = None,
    notes: Sequence[str] = (),
    explanations: Sequence[Explanation] = (),
    resamples: int = RESAMPLES,
    loads: Loads = NO_LOADS,
    sampling: Sampling | None = None,
    requests: Requests = of_trial,
) -> Summary:
    """The summary of `trials`, which may be a whole run's or what there is of it so far.

    `arms` are in the experiment's order and hold `baseline`; `margin` is the equivalence margin as a
    fraction, `margin_s` the one of times in seconds, where there is one. `cells` gives the cells' order, and
    shows those without trials too (otherwise: those with trials, sorted). `label` qualifies the whole run,
    `notes` are shown beneath it; `loads` is what is known of its loads; `sampling` says how long cells were
    sampled where their number of blocks wasn't fixed; `requests` gives the resources of a trial's load where
    `trials` lack them. Raises ValueError where `baseline` is no arm.
    """
    if baseline not in arms:
        raise ValueError(f"the baseline {baseline!r} is none of the arms ({', '.join(arms)})")
    sorted_trials = select(trials, arms)
    order = list(cells) if cells is not None else sorted(sorted_trials, key=str)
    titles = name_cells(order)
    measured = [sorted_trials.get(cell, CellTrials(cell, tuple(arms), ())) for cell in order]
    terms = [
        Terms(
            title=titles[of_cell.cell],
            baseline=baseline,
            margin=margin,
            margin_s=margin_s,
            seed=seed,
            resamples=resamples,
            timed=loads.timed,
            sampling=sampling,
            stage=stopping.stage(of_cell, sampling),
        )
        for of_cell in measured
    ]
    most = resources.most_blocks(len(order), len(arms))
    found = correction.corrected(
        [summarise_cell(*each, requests, most) for each in zip(measured, terms, strict=True)]
    )
    found = resources.corrected(found)
    warnings = likeness.warnings(found)
    found = likeness.warned(found)
    nothing = unmeasured(found, baseline)
    return Summary(
        name=name,
        seed=seed,
        arms=list(arms),
        baseline=baseline,
        margin=margin,
        margin_s=margin_s,
        limit_s=limit_s,
        resamples=resamples,
        label=label,
        unmeasured=nothing,
        warnings=warnings,
        headline=[
            words.headline(arm, baseline, [] if nothing else found, (margin, margin_s), label)
            for arm in sorted(arms, key=_asked_about)
            if arm != baseline
        ]
        or [words.alone(baseline)],
        correction=correction.correction(found, [its.stage.looks for its in terms]),
        notes=[*stopping.saved(found), *notes],
        cells=found,
        explanations=[
            explain(of_cell, asked, its_terms)
            for of_cell, its_terms in zip(measured, terms, strict=True)
            for asked in explanations
        ],
        load_limit_s=loads.limit_s,
        contrasts=[
            found
            for of_cell, its_terms in zip(measured, terms, strict=True)
            if of_cell.cell.client == load.CLIENT
            for found in contrasts(of_cell, its_terms)
        ],
        published=loads.published,
        claims=_claims(loads, measured, terms),
    )


def _claims(loads: Loads, measured: Sequence[CellTrials], terms: Sequence[Terms]) -> list[Claim]:
    of_loads = [one for one in measured if one.cell.client == load.CLIENT]
    if loads.published is None or not of_loads:
        return []
    return claims.judge(study.read(loads.published), of_loads, terms[0])


def _asked_about(arm: str) -> bool:
    """Sorts HTTP/3's arms before the others: the question is about them."""
    return not arm.startswith("h3")
