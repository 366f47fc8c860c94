"""A run's summary: its cells in order, and the headline over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pronghorn.analysis import claims, correction, likeness, resources, stopping, words
from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.bootstrap import RESAMPLES
from pronghorn.analysis.cells import summarise_cell
from pronghorn.analysis.contrasts import contrasts
from pronghorn.analysis.event_costs import event_costs
from pronghorn.analysis.explain import explain
from pronghorn.analysis.kernels import kernels
from pronghorn.analysis.resources import Requests, of_trial
from pronghorn.analysis.stacks import stacks
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


@dataclass(frozen=True, kw_only=True)
class Design:
    """What a run's trials were to answer.

    `arms` are in the experiment's order and hold `baseline`; `seed` is the experiment's, `limit_s` a load's
    limit in seconds. `margin` is the equivalence margin as a fraction, `margin_s` the one of times in
    seconds, where there is one. `cells` gives the cells' order, and shows those without trials too
    (otherwise: those with trials, sorted). `loads` is what is known of its loads; `sampling` says how long
    cells were sampled where their number of blocks wasn't fixed, `virtual` whether in virtual time. Raises
    ValueError where `baseline` is no arm."""

    name: str
    arms: Sequence[str]
    baseline: str
    seed: int
    limit_s: float
    margin: float = 0.03
    margin_s: float | None = None
    cells: Sequence[Cell] | None = None
    explanations: Sequence[Explanation] = ()
    resamples: int = RESAMPLES
    loads: Loads = NO_LOADS
    sampling: Sampling | None = None
    virtual: bool = False

    def limit_of(self, cell: Cell) -> float:
        """How long a load of the cell may take, in seconds."""
        own = self.loads.limit_s if cell.client == load.CLIENT else None
        return self.limit_s if own is None else own

    def __post_init__(self) -> None:
        if self.baseline not in self.arms:
            raise ValueError(
                f"the baseline {self.baseline!r} is not one of the arms ({', '.join(self.arms)})"
            )


def summarise(
    trials: Sequence[Trial],
    design: Design,
    *,
    label: str | None = None,
    notes: Sequence[str] = (),
    requests: Requests = of_trial,
) -> Summary:
    """The summary of `trials`, which may be a whole run's or what there is of it so far.

    `label` qualifies the whole run, `notes` are shown beneath it; `requests` gives the resources of a
    trial's load where `trials` lack them.
    """
    sorted_trials = select(trials, design.arms)
    order = list(design.cells) if design.cells is not None else sorted(sorted_trials, key=str)
    titles = name_cells(order)
    measured = [sorted_trials.get(cell, CellTrials(cell, tuple(design.arms), ())) for cell in order]
    terms = [
        Terms(
            title=titles[of_cell.cell],
            baseline=design.baseline,
            margin=design.margin,
            margin_s=design.margin_s,
            seed=design.seed,
            resamples=design.resamples,
            timed=design.loads.timed,
            sampling=design.sampling,
            stage=stopping.stage(of_cell, design.sampling, design.limit_of(of_cell.cell)),
        )
        for of_cell in measured
    ]
    most = resources.most_blocks(len(order), len(design.arms))
    found = correction.corrected(
        [summarise_cell(*each, requests, most) for each in zip(measured, terms, strict=True)]
    )
    found = resources.corrected(found)
    warnings = likeness.warnings(found)
    found = likeness.warned(found)
    nothing = unmeasured(found, design.baseline, virtual=design.virtual)
    return Summary(
        name=design.name,
        seed=design.seed,
        arms=list(design.arms),
        baseline=design.baseline,
        margin=design.margin,
        margin_s=design.margin_s,
        limit_s=design.limit_s,
        resamples=design.resamples,
        label=label,
        unmeasured=nothing,
        warnings=warnings,
        headline=[
            words.headline(
                arm, design.baseline, [] if nothing else found, (design.margin, design.margin_s), label
            )
            for arm in sorted(design.arms, key=asked_about)
            if arm != design.baseline
        ]
        or [words.alone(design.baseline)],
        correction=correction.correction(found, [its.stage.looks for its in terms]),
        notes=[*stopping.saved(found), *notes],
        cells=found,
        explanations=[
            explain(of_cell, asked, its_terms)
            for of_cell, its_terms in zip(measured, terms, strict=True)
            for asked in design.explanations
        ],
        load_limit_s=design.loads.limit_s,
        contrasts=[
            found
            for of_cell, its_terms in zip(measured, terms, strict=True)
            if of_cell.cell.client == load.CLIENT
            for found in contrasts(of_cell, its_terms)
        ],
        kernels=kernels(measured, terms) if len({cell.kernel for cell in order}) > 1 else None,
        stacks=stacks(found, measured, terms),
        events=event_costs(measured, [its.title for its in terms]),
        published=design.loads.published,
        claims=_claims(design.loads, measured, terms),
    )


def _claims(loads: Loads, measured: Sequence[CellTrials], terms: Sequence[Terms]) -> list[Claim]:
    of_loads = [one for one in measured if one.cell.client == load.CLIENT]
    if loads.published is None or not of_loads:
        return []
    return claims.judge(study.read(loads.published), of_loads, terms[0])


def asked_about(arm: str) -> bool:
    """A key that sorts HTTP/3's arms before the others: the question is about them."""
    return not arm.startswith("h3")
