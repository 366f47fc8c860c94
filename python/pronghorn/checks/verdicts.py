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
    reading of a non-inferiority test. Where the verdict rests on no interval, since too little was measured
    or loads failed, nothing is known of what it is not, and that doesn't hold. `margin` is a fraction.
    """
    if not claim.negated:
        return found.verdict == claim.verdict, False
    if found.verdict == claim.verdict or _rests_on_nothing(found):
        return False, False
    sure = found.verdict != "undecided" or _excludes(claim.verdict, found, margin)
    return sure or not surely, not sure


def evidence(claim: Expectation, found: Decided, told: str) -> str:
    """What was `told` of a comparison, and where it can't say what the verdict is not, that."""
    if not claim.negated or found.verdict == claim.verdict or not _rests_on_nothing(found):
        return told
    return f"{told}; whether it is {claim.verdict} is unknown: {found.reason}"


def _rests_on_nothing(found: Decided) -> bool:
    return found.verdict == "undecided" and found.reason is not None


def _excludes(verdict: str, found: Decided, margin: float) -> bool:
    """Whether the interval of an undecided comparison rules a verdict out."""
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
