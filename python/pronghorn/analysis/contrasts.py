"""HTTP/3's arms against every other one, in requests per second, whatever the baseline is."""

import math
from collections.abc import Sequence

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import Estimate, ratio_of
from pronghorn.analysis.figures import finite
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.terms import Terms
from pronghorn.analysis.times import times
from pronghorn.analysis.verdict import decide, minimum_blocks
from pronghorn.model.cell import PLACES
from pronghorn.model.summary import Contrast, Metric

_METRIC: Metric = "requests_per_second"


def contrasts(trials: CellTrials, terms: Terms) -> list[Contrast]:
    """One for each pair of an arm over HTTP/3 and one that is not, of a cell whose trials are loads."""
    return [
        _contrast(trials, arm, against, terms)
        for arm in trials.arms
        if over_http3(arm)
        for against in trials.arms
        if not over_http3(against)
    ]


def over_http3(arm: str) -> bool:
    """Whether an arm's name says that it goes over HTTP/3."""
    return protocol(arm) == "h3"


def protocol(arm: str) -> str:
    """The protocol that an arm's name begins with."""
    return arm[:2]


def of_pair(found: Sequence[Contrast], arm: str, against: str) -> list[Contrast]:
    """The contrasts of two arms, cell by cell."""
    return [one for one in found if (one.arm, one.against) == (arm, against)]


def _contrast(trials: CellTrials, arm: str, against: str, terms: Terms) -> Contrast:
    cell = trials.cell
    rng = generator(terms.seed, "contrast", *(getattr(cell.drawn_as, key) for key in PLACES), arm, against)
    mine, theirs = (times(trials.of(name), _METRIC) for name in (arm, against))
    confidence = terms.stage.confidence
    estimate = ratio_of("median", mine, theirs, rng, resamples=terms.resamples, confidence=confidence)
    verdict, reason = decide(
        estimate,
        margin=terms.margin,
        blocks=len(trials.blocks),
        least=minimum_blocks(confidence),
        higher_is_better=True,
    )
    if len(trials.blocks) < minimum_blocks(confidence):
        estimate = Estimate(estimate.value, math.nan, math.nan)
    if terms.stage.pending is not None:
        estimate, verdict, reason = estimate.unbounded(0.0), "undecided", terms.stage.pending
    return Contrast(
        **cell.model_dump(),
        arm=arm,
        against=against,
        ratio=finite(estimate.value),
        ci95=(finite(estimate.low), finite(estimate.high)),
        verdict=verdict,
        reason=reason,
    )
