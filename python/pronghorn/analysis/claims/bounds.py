"""A ratio against the bounds within which a claim wants it."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import divide, percentiles, resampled_medians
from pronghorn.analysis.figures import finite
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.times import Times, has_failed, times
from pronghorn.analysis.verdict import MINIMUM_BLOCKS
from pronghorn.model.summary import Part, State


class Rate(NamedTuple):
    """The median requests per second of an arm in a cell: `found` with its `drawn` resamples, those of
    several arms of a cell from the same blocks. `blocks` says on how many it rests, `failed` how many of its
    loads failed, where any did, by arm and path."""

    found: float
    drawn: Times
    blocks: int
    failed: Mapping[str, int]


class Ratio(NamedTuple):
    """What is compared, with its resamples; `theirs`: what it was where the claim was made."""

    what: str
    found: float
    drawn: Times
    blocks: int
    failed: Mapping[str, int]
    theirs: float | None


class Bounds(NamedTuple):
    """Where a claim wants a ratio to lie; None: no bound."""

    least: float | None = None
    most: float | None = None


def rates(trials: CellTrials | None, arms: tuple[str, ...], seed: int, resamples: int) -> tuple[Rate, ...]:
    """The rates of `arms` in a cell, unknown where there are no blocks. Cells are drawn from independently,
    since their blocks have nothing in common."""
    if trials is None or not trials.blocks:
        return tuple(Rate(math.nan, np.full(resamples, math.nan), 0, {}) for _ in arms)
    values = np.stack([times(trials.of(arm), "requests_per_second") for arm in arms], axis=1)
    rng = generator(seed, "claims", str(trials.cell), *arms)
    drawn = resampled_medians(values, rng, resamples=resamples)
    return tuple(
        Rate(float(np.median(values[:, place])), drawn[:, place], len(trials.blocks), _failed(trials, arm))
        for place, arm in enumerate(arms)
    )


def _failed(trials: CellTrials, arm: str) -> dict[str, int]:
    number = sum(has_failed(trial) for trial in trials.of(arm))
    return {f"{arm} on {trials.cell.path}": number} if number else {}


def over(what: str, upper: Rate | Ratio, lower: Rate | Ratio, theirs: float | None) -> Ratio:
    """One over the other."""
    found = divide(np.array([upper.found]), np.array([lower.found]))
    drawn = divide(upper.drawn, lower.drawn)
    failed = {**upper.failed, **lower.failed}
    return Ratio(what, float(found[0]), drawn, min(upper.blocks, lower.blocks), failed, theirs)


def part(ratio: Ratio, bounds: Bounds) -> Part:
    """Whether a ratio lies within its bounds."""
    low, high = percentiles(ratio.drawn, least=0.0)
    state, reason = _state(ratio, bounds, low, high)
    return Part(
        what=ratio.what,
        least=bounds.least,
        most=bounds.most,
        ratio=finite(ratio.found),
        ci95=(finite(low), finite(high)) if ratio.blocks >= MINIMUM_BLOCKS else (None, None),
        theirs=ratio.theirs,
        state=state,
        reason=reason,
        failed=dict(ratio.failed),
    )


def _state(ratio: Ratio, bounds: Bounds, low: float, high: float) -> tuple[State, str | None]:
    if not ratio.blocks:
        return "undecided", "not measured"
    if ratio.blocks < MINIMUM_BLOCKS:
        return "undecided", f"needs more blocks ({ratio.blocks} of at least {MINIMUM_BLOCKS})"
    least = -math.inf if bounds.least is None else bounds.least
    most = math.inf if bounds.most is None else bounds.most
    if least <= low and high <= most:
        return "reproduced", None
    return ("not reproduced", None) if high < least or low > most else ("undecided", None)
