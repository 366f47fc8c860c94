"""What makes one arm differ from another: the change of their medians, taken apart along a chain of arms.

Along a chain the medians' ratios multiply, so their logarithms add up: a step's share is its logarithm over
the whole chain's. All arms of a chain are resampled together, block by block, as for the verdicts. A share is
a ratio of two estimates, and the lower one may be near zero; shares are told only where the whole's interval
keeps away from it, and isn't within the margin of equivalence (Fieller, "Some problems in interval
estimation", 1954; Franz, "Ratios: a short guide to confidence limits and proper use", 2007).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from pronghorn.analysis import explain_words
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import CONFIDENCE, Estimate, divide, percentiles, resampled_medians
from pronghorn.analysis.figures import finite
from pronghorn.analysis.loaded import makes_no_request
from pronghorn.analysis.numbers import listed, percent
from pronghorn.analysis.stopping import Stage
from pronghorn.analysis.terms import Terms, block_draws
from pronghorn.analysis.times import Times, times
from pronghorn.analysis.verdict import LEAST_BLOCKS, decide, minimum_blocks
from pronghorn.model.explanation import Explanation
from pronghorn.model.summary import Change, Explained, Step


class Medians(NamedTuple):
    """The medians of a chain's arms in seconds: `found` of the blocks, one an arm, and `drawn` of the
    resamples, (resamples, arms), none of which are drawn from too few blocks for an interval."""

    found: Times
    drawn: Times


class Measure(NamedTuple):
    """A figure with its interval, not finite where failures reach into it."""

    value: float
    low: float
    high: float

    @property
    def is_finite(self) -> bool:
        """Whether all three are."""
        return all(map(math.isfinite, self))


NOTHING = Measure(math.nan, math.nan, math.nan)


def explain(trials: CellTrials, asked: Explanation, terms: Terms) -> Explained:
    """What the steps of `asked` contribute in a cell; the arms of its chain are among the cell's."""
    medians = _medians(trials, asked, terms)
    last = len(asked.chain) - 1
    at = terms.stage
    total = _change(medians, asked.chain, 0, last, at)
    idle = [arm for arm in asked.chain if makes_no_request(trials.of(arm))]
    reason = _why_no_shares(medians, asked, total, terms, blocks=len(trials.blocks))
    if idle:
        reason = f"{listed(idle)} made no request"
    ratios, seconds = (
        shares(medians, at.confidence) if reason is None else ([NOTHING] * last, [NOTHING] * last)
    )
    if reason is None and not all(share.is_finite for share in (*ratios, *seconds)):
        reason = "failed loads affect the medians of too many resamples"
    steps = [
        Step(
            **_change(medians, asked.chain, place, place + 1, at).model_dump(),
            name=name,
            **(_told(ratios[place], seconds[place]) if reason is None else {}),
        )
        for place, name in enumerate(asked.steps)
    ]
    found = Explained(
        **trials.cell.model_dump(),
        title=terms.title,
        name=asked.name,
        metric=asked.metric,
        blocks=len(trials.blocks),
        total=total,
        steps=steps,
        reason=reason,
        words="",
    )
    return found.model_copy(update={"words": explain_words.sentence(found)})


def shares(medians: Medians, confidence: float = CONFIDENCE) -> tuple[list[Measure], list[Measure]]:
    """Each step's share of the whole change with its interval: of the ratio's logarithm, and of the
    difference.

    A resample in which the whole has not the sign that it has in the blocks, or isn't finite, says nothing
    about shares, and widens every interval on both sides.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = _shares(np.log(medians.found), np.log(medians.drawn), confidence)
        return logs, _shares(*medians, confidence)


def _shares(found: Times, drawn: Times, confidence: float) -> list[Measure]:
    whole, wholes = found[-1] - found[0], drawn[:, -1] - drawn[:, 0]
    tells = np.isfinite(drawn).all(axis=1) & (np.sign(wholes) == np.sign(whole))
    parts = np.where(tells[:, np.newaxis], divide(np.diff(drawn, axis=1), wholes[:, np.newaxis]), math.nan)
    return [
        Measure(float(value), *percentiles(part, least=-math.inf, confidence=confidence))
        for value, part in zip(np.diff(found) / whole, parts.T, strict=True)
    ]


def _medians(trials: CellTrials, asked: Explanation, terms: Terms) -> Medians:
    found = np.stack([times(trials.of(arm), asked.metric) for arm in asked.chain], axis=1)
    if not len(found):
        return Medians(np.full(len(asked.chain), math.nan), np.empty((0, len(asked.chain))))
    if len(found) < LEAST_BLOCKS["median"]:
        return Medians(np.median(found, axis=0), np.empty((0, len(asked.chain))))
    rng = block_draws(trials.cell, terms.seed)
    drawn = resampled_medians(found, rng, resamples=terms.resamples)
    return Medians(np.median(found, axis=0), drawn)


def _change(medians: Medians, chain: tuple[str, ...], first: int, last: int, at: Stage) -> Change:
    ratio, difference = _measures(medians, first, last, at.confidence)
    if at.pending is not None:
        ratio = ratio._replace(low=0.0, high=math.inf)
        difference = difference._replace(low=-math.inf, high=math.inf)
    return Change(
        from_arm=chain[first],
        to_arm=chain[last],
        ratio=finite(ratio.value),
        ci95=(finite(ratio.low), finite(ratio.high)),
        difference_s=finite(difference.value),
        ci95_s=(finite(difference.low), finite(difference.high)),
    )


def _measures(medians: Medians, first: int, last: int, confidence: float) -> tuple[Measure, Measure]:
    """The ratio and the difference of two of the chain's medians."""
    earlier, later = ((medians.found[[place]], medians.drawn[:, place]) for place in (first, last))
    with np.errstate(invalid="ignore"):
        differences = [one - other for one, other in zip(later, earlier, strict=True)]
    ratios = [divide(one, other) for one, other in zip(later, earlier, strict=True)]
    if not len(medians.drawn):
        return NOTHING._replace(value=float(ratios[0][0])), NOTHING._replace(value=float(differences[0][0]))
    return (
        Measure(float(ratios[0][0]), *percentiles(ratios[1], least=0.0, confidence=confidence)),
        Measure(
            float(differences[0][0]), *percentiles(differences[1], least=-math.inf, confidence=confidence)
        ),
    )


def _why_no_shares(
    medians: Medians, asked: Explanation, total: Change, terms: Terms, *, blocks: int
) -> str | None:
    unended = [
        arm for arm, median in zip(asked.chain, medians.found, strict=True) if not math.isfinite(median)
    ]
    if blocks and unended:
        return f"half or more of the loads of {listed(unended)} failed"
    low, high = (math.inf if end is None else end for end in total.ci95)
    estimate = Estimate(math.nan if total.ratio is None else total.ratio, low, high)
    least = minimum_blocks(terms.stage.confidence)
    verdict, reason = decide(estimate, margin=terms.margin, blocks=blocks, least=least)
    if terms.stage.pending is not None:
        return terms.stage.pending
    if reason is not None:
        return f"it {reason}" if blocks < least else reason
    if low <= 1 <= high:
        return "there may be no difference at all"
    if verdict == "same":
        return f"the whole difference is within ±{percent(terms.margin)}"
    return None


def _told(ratio: Measure, seconds: Measure) -> dict[str, Any]:
    return {
        "share": ratio.value,
        "share_ci95": (ratio.low, ratio.high),
        "share_s": seconds.value,
        "share_s_ci95": (seconds.low, seconds.high),
    }
