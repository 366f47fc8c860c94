"""How a verdict is reached: where the interval lies against the equivalence margin.

With a margin of 3 %, ratios from 0.97 to 1.03 count as equal. An interval wholly below is `faster`, wholly
above `slower`, wholly within `same`, and anything else `undecided`; of a rate, wholly above is `faster` and
wholly below `slower`. That is the interval's reading of Schuirmann's two one-sided tests (1987), turned to
both sides. Where there is a margin in the values' own unit as well, differences whose interval lies wholly
within it are the same too, whatever their ratio.
"""

import math

from pronghorn.analysis.bootstrap import Estimate
from pronghorn.model.summary import Statistic, Verdict

MINIMUM_BLOCKS = 6
"""Below six blocks not even the whole range of the values covers a median with 95 %: 2 × 0.5**5 > 0.05."""

LEAST_BLOCKS: dict[Statistic, int] = {
    "median": MINIMUM_BLOCKS,
    "mean": MINIMUM_BLOCKS,
    "trimmed_mean": 20,
    "p75": 40,
    "p90": 100,
    "p95": 200,
    "p99": 1000,
}
"""The fewest blocks from which on the interval of a statistic's ratio holds as often as it should
(docs/methodology.md): of a quantile, where ten values are expected to lie beyond it."""

_MIRRORED: dict[Verdict, Verdict] = {"faster": "slower", "slower": "faster"}


def decide(
    estimate: Estimate,
    *,
    margin: float,
    blocks: int,
    least: int = MINIMUM_BLOCKS,
    higher_is_better: bool = False,
    difference: Estimate | None = None,
    margin_of_difference: float | None = None,
) -> tuple[Verdict, str | None]:
    """The verdict, and the reason where the interval was not even looked at. `margin` is a fraction, `least`
    the number of blocks that the statistic takes; the `difference` and its margin are in the values' unit."""
    if blocks < least:
        return "undecided", f"needs more blocks ({blocks} of at least {least})"
    if math.isnan(estimate.value) or math.isnan(estimate.low) or math.isnan(estimate.high):
        return "undecided", "the ratio is not defined"
    if (
        difference is not None
        and margin_of_difference is not None
        and _within(difference, margin_of_difference)
    ):
        return "same", None
    found = _place(estimate, margin)
    return (_MIRRORED.get(found, found) if higher_is_better else found), None


def minimum_blocks(confidence: float) -> int:
    """The fewest blocks n whose whole range covers a median with that confidence: 2 × 0.5**n is no more than
    what is left of it."""
    return max(1, math.ceil(-math.log2((1 - confidence) / 2) - 1e-9))


def _within(difference: Estimate, margin: float) -> bool:
    return -margin <= difference.low and difference.high <= margin


def _place(estimate: Estimate, margin: float) -> Verdict:
    if estimate.high < 1 - margin:
        return "faster"
    if estimate.low > 1 + margin:
        return "slower"
    if estimate.low >= 1 - margin and estimate.high <= 1 + margin:
        return "same"
    return "undecided"
