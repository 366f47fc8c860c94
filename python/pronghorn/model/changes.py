"""What changed from one run to a later one: per cell and arm that both have, the later median beside the
earlier one.

Times are seconds, rates requests a second, ratios are after over before (of times below 1: faster). Null
stands for what isn't finite, because failed trials reach into it, or can't be had.
"""

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.cell import InCell
from pronghorn.model.comparison import HIGHER_IS_BETTER, Interval, Metric, Verdict
from pronghorn.model.summary import Correction


class ArmChange(BaseModel):
    """An arm's median of a metric before and after, over so many blocks of which so many trials failed.

    `difference` is after less before, in the metric's own unit. `p_value` is a rank test's that nothing
    changed at all, of the metric that decides, `q_value` the same corrected for the number of comparisons.
    `verdict` says what the arm is now against before; `reason` why where that does not rest on an interval.
    `words` says the whole in one sentence.
    """

    model_config = ConfigDict(extra="forbid")

    arm: str
    metric: Metric
    before: float | None
    after: float | None
    blocks_before: int
    blocks_after: int
    failed_before: int
    failed_after: int
    ratio: float | None
    ci95: Interval
    difference: float | None
    ci95_difference: Interval
    p_value: float | None = None
    q_value: float | None = None
    verdict: Verdict
    reason: str | None = None
    words: str

    @property
    def measured(self) -> tuple[bool, bool]:
        """Whether the earlier and the later run measured anything of it: a load that succeeded, or a rate."""
        if self.metric in HIGHER_IS_BETTER:
            return bool(self.before), bool(self.after)
        return self.blocks_before > self.failed_before, self.blocks_after > self.failed_after


class CellChange(InCell):
    """A cell that both runs have. `paired`: the blocks of both runs share their path seeds and are compared
    block by block; `unpaired_blocks` are those that only one run has and that are left out then. `leading` is
    the metric that decides."""

    model_config = ConfigDict(extra="forbid")

    title: str
    leading: Metric
    paired: bool
    unpaired_blocks: int = 0
    changes: list[ArmChange]

    def led(self) -> list[ArmChange]:
        """Each arm's change of the metric that decides."""
        return [one for one in self.changes if one.metric == self.leading]


class RunWarning(BaseModel):
    """A word for programs, a text and a remedy for people."""

    model_config = ConfigDict(extra="forbid")

    code: str
    text: str
    remedy: str


class CheckedCell(BaseModel):
    """A check in one cell: whether it holds, what was found, and whether it holds by the estimate alone."""

    model_config = ConfigDict(extra="forbid")

    title: str
    holds: bool
    found: str
    doubtful: bool


class Checked(BaseModel):
    """A check, and what became of it."""

    model_config = ConfigDict(extra="forbid")

    check: str
    holds: bool
    cells: list[CheckedCell]


class Changes(BaseModel):
    """Two runs, by the directories in which they were found, and what changed from the one to the other.

    `margin` is the later run's equivalence margin as a fraction, `margin_s` the one in seconds where it has
    one. Cells and arms have the later run's names; `matched` says in sentences which of these the earlier
    one has other names for, `missing` what only one of them has. `correction` is null where fewer than two
    changes were tested. `warnings` are what differs between the runs and could explain a change.
    """

    model_config = ConfigDict(extra="forbid")

    before: str
    after: str
    name: str
    started_before: str | None
    started_after: str | None
    margin: float
    margin_s: float | None
    confidence: float = 0.95
    resamples: int
    headline: str
    correction: Correction | None = None
    cells: list[CellChange]
    matched: list[str] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    warnings: list[RunWarning] = Field(default_factory=list)
    checks: list[Checked] = Field(default_factory=list)
