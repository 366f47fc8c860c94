"""What the engine's simulation reports, read."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.engine import record
from pronghorn.model.bounds import Count, Number

LEARNED = "learned"
ALWAYS = ("always-h2", "always-h3")
INFORMED = "informed"
RULES = (LEARNED, *ALWAYS, "public-module", INFORMED)

SMALL_REGRET = 0.02
"""Below this, of the better of the two rules that do the same for all, ours only has to be no worse."""

SHARE = 1 / 3
"""Else ours is to be at most this of it."""


def within(ours: float, fixed: float, *, no_worse: bool) -> bool:
    """Whether our regret is within the bound: at most a third of that of the better of the rules that do the
    same for all, or, where that one has little to regret, `no_worse` within the interval."""
    return no_worse if fixed < SMALL_REGRET else ours <= SHARE * fixed


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Estimate(_Told):
    """A mean with its 95 % interval, None of a single key."""

    value: Number
    low: Number | None
    high: Number | None


class RuleOutcome(_Told):
    """One rule's regret, the share of requests that went over h3, and how many it failed."""

    regret: Estimate | None
    h3: Number
    failed: Count


class Segment(_Told):
    """Some of the clients. `minus` is our regret less that of the rules that do the same for all."""

    by: str
    name: str
    keys: int
    requests: float
    rules: dict[str, RuleOutcome]
    minus: dict[str, Estimate | None]
    cell: tuple[int, int, int] | None = None

    @property
    def better(self) -> str:
        """Which of the rules that do the same for all does better."""
        return min(ALWAYS, key=lambda rule: _value(self.rules[rule].regret))

    @property
    def holds(self) -> bool:
        """Whether the bound holds."""
        ours, better = (_value(self.rules[rule].regret) for rule in (LEARNED, self.better))
        return within(ours, better, no_worse=self._no_worse)

    @property
    def holds_beyond(self) -> bool:
        """Whether it holds for what is left of both without what `informed` regrets, which nobody can
        spare."""
        ours, better, least = (_value(self.rules[rule].regret) for rule in (LEARNED, self.better, INFORMED))
        return within(ours - least, better - least, no_worse=self._no_worse)

    @property
    def _no_worse(self) -> bool:
        apart = self.minus[self.better]
        return apart is None or apart.low is None or apart.low <= 0


class Holdout(_Told):
    """The uplift of steering as ln ratio of times: as the gateway tells it, and in truth."""

    told: Estimate | None
    truth: float | None
    groups: tuple[int, int, int]


class TableUse(_Told):
    """Of the gateway's key table."""

    capacity: int
    keys: int
    evicted: int


class Report(_Told):
    """One simulation."""

    clients: int
    keys: int
    requests: int
    segments: tuple[Segment, ...]
    pinned: dict[str, Estimate | None]
    holdout: Holdout
    table: TableUse

    def by(self, kind: str) -> list[Segment]:
        """The segments of a kind, in their order."""
        return [one for one in self.segments if one.by == kind]


def read(report: dict[str, Any]) -> Report:
    """The report."""
    return record(Report, report)


def _value(estimate: Estimate | None) -> float:
    return 0.0 if estimate is None else estimate.value
