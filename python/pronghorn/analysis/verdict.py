"""How a verdict is reached: where the interval lies against the equivalence margin.

With a margin of 3 %, ratios from 0.97 to 1.03 count as equal. An interval wholly below is `faster`, wholly
above `slower`, wholly within `same`, and anything else `undecided`; of a rate, wholly above is `faster` and
wholly below `slower`. That is the interval's reading of
Schuirmann's two one-sided tests (1987), turned to both sides.
"""

import math

from pronghorn.analysis.bootstrap import Estimate
from pronghorn.model.summary import Verdict

MINIMUM_BLOCKS = 6
"""Below six blocks not even the whole range of the values covers a median with 95 %: 2 × 0.5**5 > 0.05."""


_MIRRORED: dict[Verdict, Verdict] = {"faster": "slower", "slower": "faster"}


def decide(
    estimate: Estimate, *, margin: float, blocks: int, higher_is_better: bool = False
) -> tuple[Verdict, str | None]:
    """The verdict, and the reason where the interval was not even looked at. `margin` is a fraction."""
    if blocks < MINIMUM_BLOCKS:
        return "undecided", f"needs more blocks ({blocks} of at least {MINIMUM_BLOCKS})"
    if math.isnan(estimate.ratio) or math.isnan(estimate.low) or math.isnan(estimate.high):
        return "undecided", "the ratio is not defined"
    found = _place(estimate, margin)
    return (_MIRRORED.get(found, found) if higher_is_better else found), None


def _place(estimate: Estimate, margin: float) -> Verdict:
    if estimate.high < 1 - margin:
        return "faster"
    if estimate.low > 1 + margin:
        return "slower"
    if estimate.low >= 1 - margin and estimate.high <= 1 + margin:
        return "same"
    return "undecided"
