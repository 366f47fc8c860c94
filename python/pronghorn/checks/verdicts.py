"""Whether a comparison's verdict is the one that a check expects."""

from typing import Protocol

from pronghorn.checks.language import Expectation
from pronghorn.model.comparison import HIGHER_IS_BETTER, Metric, Verdict


class Decided(Protocol):
    """A ratio with its interval and what follows from it."""

    @property
    def metric(self) -> Metric: ...
    @property
    def ci95(self) -> tuple[float | None, float | None]: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def reason(self) -> str | None: ...


def expected(claim: Expectation, found: Decided, *, margin: float, surely: bool) -> tuple[bool, bool]:
    """Whether a verdict is as expected, and whether that is in doubt.

    A verdict rests on an interval, so it holds surely where it holds. That it is *not* slower (or faster)
    holds surely where the interval ends within the margin on that side, which an undecided one may: the
    reading of a non-inferiority test. `margin` is a fraction.
    """
    if not claim.negated:
        return found.verdict == claim.verdict, False
    if found.verdict == claim.verdict:
        return False, False
    sure = found.verdict != "undecided" or _excludes(claim.verdict, found, margin)
    return sure or not surely, not sure


def _excludes(verdict: str, found: Decided, margin: float) -> bool:
    """Whether the interval of an undecided comparison rules a verdict out."""
    if found.reason is not None:
        return False
    low, high = found.ci95
    if found.metric in HIGHER_IS_BETTER:
        verdict = {"faster": "slower", "slower": "faster"}.get(verdict, verdict)
    match verdict:
        case "slower":
            return high is not None and high <= 1 + margin
        case "faster":
            return low is not None and low >= 1 - margin
        case _:
            return verdict == "undecided"
