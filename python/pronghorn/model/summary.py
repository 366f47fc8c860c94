"""The summary of a run: per cell what each arm did and how it compares with the baseline.

Times are seconds, ratios are arm over baseline (below 1: the arm is faster). A figure that isn't finite,
because failed trials (which count as infinitely slow) reach into it, is null; so is one that can't be had.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model import load
from pronghorn.model.cell import Cell, InCell
from pronghorn.model.comparison import HIGHER_IS_BETTER as HIGHER_IS_BETTER
from pronghorn.model.comparison import LATENCIES as LATENCIES
from pronghorn.model.comparison import Comparison as Comparison
from pronghorn.model.comparison import Figures as Figures
from pronghorn.model.comparison import Interval as Interval
from pronghorn.model.comparison import Metric as Metric
from pronghorn.model.comparison import Ratio as Ratio
from pronghorn.model.comparison import Statistic as Statistic
from pronghorn.model.comparison import Verdict as Verdict
from pronghorn.model.event_costs import EventCost as EventCost
from pronghorn.model.kernels import Kernels
from pronghorn.model.loaded import Failure as Failure
from pronghorn.model.loaded import Loaded as Loaded
from pronghorn.model.loaded import Unmeasured as Unmeasured
from pronghorn.model.quic_stacks import StackPair
from pronghorn.model.resources import CellResources
from pronghorn.model.why import ArmWhy

State = Literal["reproduced", "not reproduced", "undecided"]
"""What a run makes of a published claim."""


class ArmSummary(Figures):
    """One arm in one cell: the load time's figures, and what became of its trials.

    `n` trials count (`failed` among them); `contaminated` ones were discarded with their blocks.
    `protocols` counts over which protocol the resources of all its trials came.
    `thin` names the quantiles that are merely the largest value, since `n` is too small for them.
    `lcp` is a browser's, null where not all loads that succeeded tell it. `requests_per_second` and
    `latency_seconds` are those of loads, null and empty of page loads.
    `loaded` is what its page loads loaded, null where none succeeded. `failure` is the commonest failure of
    its trials that count, `discard` the commonest reason for which trials were contaminated.
    """

    n: int
    failed: int
    contaminated: int
    failures: dict[str, int] = Field(default_factory=dict)
    failure: Failure | None = None
    discard: Failure | None = None
    loaded: Loaded | None = None
    protocols: dict[str, int] = Field(default_factory=dict)
    thin: list[str] = Field(default_factory=list)
    ttfb: Figures = Field(default_factory=Figures)
    lcp: Figures | None = None
    requests_per_second: Figures | None = None
    latency_seconds: dict[Metric, Figures] = Field(default_factory=dict)

    @property
    def measured(self) -> bool:
        """Whether any of its trials measured something: a load that succeeded with at least one request, or
        of loads of many requests one with a rate."""
        if self.requests_per_second is not None:
            return bool(self.requests_per_second.max)
        return self.n > self.failed and not (self.loaded is not None and self.loaded.requests == 0)

    def of(self, metric: Metric) -> Figures:
        """The figures of a metric."""
        if metric == "load":
            return self
        if metric == "ttfb":
            return self.ttfb
        if metric == "lcp":
            return self.lcp or Figures()
        if metric == "requests_per_second":
            return self.requests_per_second or Figures()
        return self.latency_seconds.get(metric, Figures())


StopReason = Literal["decided", "precise", "time", "max"]


class Stopping(BaseModel):
    """How the sampling of a cell ended: by its `rule`, as the experiment has it, at the most blocks, or when
    the time was up that the experiment gives a cell.

    `blocks` were taken, kept-out ones among them, and `saved` of those that it might have had were not.
    `look_confidence` is that of each interval at this look by itself, so that at all looks together they hold
    with the summary's."""

    model_config = ConfigDict(extra="forbid")

    rule: str
    reason: StopReason
    blocks: int
    saved: int
    look_confidence: float


class CellSummary(InCell):
    """One cell: its arms in the experiment's order, and the comparisons with the baseline.

    `blocks` are complete and uncontaminated, and all that the statistics rest on; `abandoned` blocks never
    had an uncontaminated attempt, `incomplete` ones lack an arm's trial. `title` names what tells this cell
    from the run's others. `stopping` is null where the number of blocks was fixed, or sampling hasn't ended,
    `resources` where nobody tells of them one by one.
    `why` has where the arms' time went, by arm, as far as trials tell; `why_words` says so in sentences.
    `loaded_words` says what stands beside each verdict: how much the loads loaded and left out. `warnings`
    say why a verdict isn't what it seems: much was left out, or arms or clients loaded different pages.
    """

    model_config = ConfigDict(extra="forbid")

    title: str
    blocks: int
    abandoned: int = 0
    incomplete: int = 0
    arms: dict[str, ArmSummary]
    comparisons: list[Comparison]
    notes: list[str] = Field(default_factory=list)
    stopping: Stopping | None = None
    resources: CellResources | None = None
    why: dict[str, ArmWhy] = Field(default_factory=dict)
    why_words: list[str] = Field(default_factory=list)
    loaded_words: str = ""
    warnings: list[str] = Field(default_factory=list)

    @property
    def makes_loads(self) -> bool:
        """Whether its trials are loads of many requests."""
        return self.client == load.CLIENT

    @property
    def leading(self) -> Metric:
        """The metric whose median decides between its arms."""
        return "requests_per_second" if self.makes_loads else "load"

    def comparison(
        self, arm: str, metric: Metric | None = None, statistic: Statistic = "median"
    ) -> Comparison | None:
        """The comparison of `arm` with the baseline, of the leading metric unless another is named; None
        where there is none."""
        for found in self.comparisons:
            if (found.arm, found.metric, found.statistic) == (arm, metric or self.leading, statistic):
                return found
        return None

    def led(self) -> list[Comparison]:
        """The comparisons that decide: each arm's median of the leading metric."""
        return [one for one in self.comparisons if (one.metric, one.statistic) == (self.leading, "median")]


class Contrast(InCell):
    """How many requests a second an arm made in a cell over what another did, as a ratio of medians with its
    95 % interval. Null stands for what isn't finite or isn't defined."""

    model_config = ConfigDict(extra="forbid")

    arm: str
    against: str
    ratio: float | None
    ci95: tuple[float | None, float | None]
    verdict: Verdict
    reason: str | None = None


class Part(BaseModel):
    """One comparison on which a claim rests: `what` is compared, within which bounds the ratio must lie, what
    it is here with its 95 % interval, and what it was where the claim was made (`theirs`). `failed` says how
    many of the loads behind it did not finish or had requests that failed, by arm and path."""

    model_config = ConfigDict(extra="forbid")

    what: str
    least: float | None
    most: float | None
    ratio: float | None
    ci95: tuple[float | None, float | None]
    theirs: float | None
    state: State
    reason: str | None = None
    failed: dict[str, int] = Field(default_factory=dict)


class Reading(BaseModel):
    """A claim as read with one origin and one of the arms that may have been meant."""

    model_config = ConfigDict(extra="forbid")

    origin: str
    arm: str
    against: str
    state: State
    parts: list[Part]


class Claim(BaseModel):
    """What a run makes of a published claim: reproduced where it is in every reading, not reproduced where it
    is in none. `words` says so in one sentence."""

    model_config = ConfigDict(extra="forbid")

    claim: str
    state: State
    readings: list[Reading]
    words: str


class Change(BaseModel):
    """How the median of a metric changes from one arm to another, as a ratio and in seconds (negative: less
    time), each with its 95 % interval. Null stands for what isn't finite or isn't defined."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True)

    from_arm: str = Field(validation_alias="from", serialization_alias="from")
    to_arm: str = Field(validation_alias="to", serialization_alias="to")
    ratio: float | None
    ci95: tuple[float | None, float | None]
    difference_s: float | None
    ci95_s: tuple[float | None, float | None]


class Step(Change):
    """One step of an explanation: what it changes, and which share of the whole change is its own.

    `share` is of the ratio's logarithm, `share_s` of the difference in seconds: 0.6 is three fifths, a
    negative one works against the whole. The shares of all steps add up to 1. A share stands beside its
    interval or is null, as its interval is."""

    name: str
    share: float | None = None
    share_ci95: tuple[float, float] | None = None
    share_s: float | None = None
    share_s_ci95: tuple[float, float] | None = None


class Explained(InCell):
    """What makes an arm of a cell differ from another, step by step: the steps' ratios multiply, their
    differences add up, to those of `total`.

    `reason` says why there are no shares, null where there are. `words` says the whole in one sentence."""

    model_config = ConfigDict(extra="forbid")

    title: str
    name: str
    metric: Metric
    blocks: int
    total: Change
    steps: list[Step]
    reason: str | None = None
    words: str


class Correction(BaseModel):
    """How many of a run's arms differ from the baseline at all, by `comparisons` rank tests corrected for
    their number: `differ` have a corrected p (q) of at most `rate`. `decided` are the verdicts that tell an
    arm apart, by more than the margin, and `held` those of them whose arm is among the `differ`; since the
    tests know no margin, that is no rate of wrong verdicts. `words` says so."""

    model_config = ConfigDict(extra="forbid")

    comparisons: int
    decided: int
    differ: int
    held: int
    rate: float
    words: str


def _is_empty(found: list[StackPair] | list[EventCost]) -> bool:
    return not found


def _is_none(kernels: Kernels | None) -> bool:
    return kernels is None


class Summary(BaseModel):
    """What a run found. `margin` is the equivalence margin as a fraction, `margin_s` the one in seconds where
    the experiment has one, `limit_s` a trial's limit.

    `label`, where there is one, qualifies everything the run says ("no emulated network on this host").
    `headline` holds one sentence for each arm that is compared. `explanations` are those that the experiment
    asks for, cell after cell. Of loads, which `load_limit_s` cuts, `contrasts` compare HTTP/3's arms with all
    others. `kernels` says what kernels and clocks do, and is left out of runs with one of each; so are
    `stacks`, of arms that differ in their QUIC stack alone, and `events`, what was done to servers.
    `correction` is null where fewer than two comparisons were tested. `claims` are those of the measurements
    `published` that the run is held against. `warnings` belong in the first line of whatever shows the run.
    `unmeasured` says why there is nothing to show, null where anything was measured.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    seed: int
    arms: list[str]
    baseline: str
    margin: float
    margin_s: float | None = None
    limit_s: float
    confidence: float = 0.95
    resamples: int
    label: str | None = None
    unmeasured: Unmeasured | None = None
    warnings: list[str] = Field(default_factory=list)
    headline: list[str]
    correction: Correction | None = None
    notes: list[str] = Field(default_factory=list)
    cells: list[CellSummary]
    explanations: list[Explained] = Field(default_factory=list)
    load_limit_s: float | None = None
    contrasts: list[Contrast] = Field(default_factory=list)
    kernels: Kernels | None = Field(default=None, exclude_if=_is_none)
    stacks: list[StackPair] = Field(default_factory=list, exclude_if=_is_empty)
    events: list[EventCost] = Field(default_factory=list, exclude_if=_is_empty)
    published: str | None = None
    claims: list[Claim] = Field(default_factory=list)

    def first_lines(self) -> list[str]:
        """What is shown before everything else: why nothing was measured, and what to do; else the
        warnings."""
        if self.unmeasured is not None:
            return [f"{self.unmeasured.text} {self.unmeasured.remedy}"]
        return [f"warning: {warning}" for warning in self.warnings]

    def explained(self, cell: Cell) -> list[Explained]:
        """What is explained of a cell."""
        return [found for found in self.explanations if found.cell == cell]

    def write(self, path: Path) -> None:
        """Writes the summary as JSON; raises OSError where the file can't be written."""
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
