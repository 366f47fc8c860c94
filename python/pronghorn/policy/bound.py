"""The bound on a policy's regret, held against each of TCP's congestion controls by itself.

A server has one congestion control, and whoever runs it could offer h3 to all or to nobody: the better of
these two, `best-fixed`, is what a policy has to beat. Over several controls together there is no bound, only
a summary: there `best-fixed` is another rule for each of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pronghorn.policy.outcome import LEARNED, RULES, SMALL_REGRET, Estimate, Report, Segment

BEST_FIXED = "best-fixed"


class Judgement(NamedTuple):
    """Of one congestion control: each rule's regret over `requests`, with `best-fixed` the one of `fixed`,
    which does better of the two that do the same for all; ours less its; and whether the bound holds, and
    whether for what both are beyond `informed`, which knows the truth and has only Alt-Svc as well."""

    control: str
    requests: float
    fixed: str
    regret: dict[str, Estimate]
    minus: Estimate | None
    holds: bool
    holds_beyond: bool

    @property
    def share(self) -> float | None:
        """Our regret as a share of the better fixed rule's; None where that one's is small, so that the
        bound asks only that ours be no worse."""
        better = self.regret[BEST_FIXED].value
        return None if better < SMALL_REGRET else self.regret[LEARNED].value / better

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "tcp": self.control,
            "best_fixed": self.fixed,
            "regret": {rule: one.model_dump() for rule, one in self.regret.items()},
            "minus_best_fixed": None if self.minus is None else self.minus.model_dump(),
            "share_of_best_fixed": self.share,
            "holds": self.holds,
            "holds_beyond": self.holds_beyond,
        }


def judge(control: str, report: Report) -> Judgement:
    """What the clients of one congestion control's simulation come to."""
    whole = report.by("all")[0]
    regret = {rule: _estimate(whole, rule) for rule in RULES}
    return Judgement(
        control=control,
        requests=whole.requests,
        fixed=whole.better,
        regret=regret | {BEST_FIXED: regret[whole.better]},
        minus=whole.minus[whole.better],
        holds=whole.holds,
        holds_beyond=whole.holds_beyond,
    )


def summary(judgements: Sequence[Judgement]) -> dict[str, Estimate]:
    """Each rule's mean regret over the requests of all congestion controls. The simulations share their
    clients, so that their errors may go together: intervals are as wide as if they did wholly."""
    total = sum(one.requests for one in judgements)
    weights = [one.requests / total for one in judgements]
    return {rule: _pooled(weights, [one.regret[rule] for one in judgements]) for rule in (*RULES, BEST_FIXED)}


def document(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """As JSON has them."""
    return {
        "judgements": [one.document() for one in judgements],
        "summary": {rule: one.model_dump() for rule, one in summary(judgements).items()},
    }


def hold(judgements: Sequence[Judgement]) -> bool:
    """Whether the bound holds for each."""
    return all(one.holds for one in judgements)


def of_reports(reports: Mapping[str, Report]) -> list[Judgement]:
    """The judgements of the reports by congestion control, in their order."""
    return [judge(control, report) for control, report in reports.items()]


def _estimate(segment: Segment, rule: str) -> Estimate:
    return segment.rules[rule].regret or Estimate(value=0.0, low=None, high=None)


def _pooled(weights: Sequence[float], estimates: Sequence[Estimate]) -> Estimate:
    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return sum(weight * value for weight, value in zip(weights, known, strict=True))

    return Estimate(
        value=sum(weight * one.value for weight, one in zip(weights, estimates, strict=True)),
        low=mean([one.low for one in estimates]),
        high=mean([one.high for one in estimates]),
    )
