"""The summary of a run: per cell what each arm did and how it compares with the baseline.

Times are seconds, ratios are arm over baseline (below 1: the arm is faster). A figure that isn't finite,
because failed trials (which count as infinitely slow) reach into it, is null; so is one that can't be had.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.trial import Cell

Verdict = Literal["faster", "slower", "same", "undecided"]
Metric = Literal["load", "ttfb"]
Statistic = Literal["median", "mean"]


class Figures(BaseModel):
    """Statistics of one time over an arm's trials, in seconds.

    `mean` is null in every arm of a cell in which any trial failed. `p90` and `p99` are the nearest-rank
    quantiles (Hyndman & Fan 1996, type 1).
    """

    model_config = ConfigDict(extra="forbid")

    median: float | None = None
    mean: float | None = None
    p90: float | None = None
    p99: float | None = None
    min: float | None = None
    max: float | None = None


class ArmSummary(Figures):
    """One arm in one cell: the load time's figures, and what became of its trials.

    `n` trials count (`failed` among them); `contaminated` ones were discarded with their blocks.
    `protocols` counts over which protocol the resources of all its trials came.
    `thin` names the quantiles that are merely the largest value, since `n` is too small for them.
    """

    n: int
    failed: int
    contaminated: int
    failures: dict[str, int] = Field(default_factory=dict)
    protocols: dict[str, int] = Field(default_factory=dict)
    thin: list[str] = Field(default_factory=list)
    ttfb: Figures = Field(default_factory=Figures)


class Comparison(BaseModel):
    """One statistic of an arm as a ratio to the baseline's, with its 95 % interval and what follows from it.

    Null in `ratio` or `ci95` stands for a value that isn't finite or isn't defined; `reason` says why where
    the verdict does not rest on an interval. `words` says the whole in one sentence.
    """

    model_config = ConfigDict(extra="forbid")

    metric: Metric
    statistic: Statistic
    arm: str
    baseline: str
    ratio: float | None
    ci95: tuple[float | None, float | None]
    verdict: Verdict
    reason: str | None = None
    words: str


class CellSummary(BaseModel):
    """One cell: its arms in the experiment's order, and the comparisons with the baseline.

    `blocks` are complete and uncontaminated, and all that the statistics rest on; `abandoned` blocks never
    had an uncontaminated attempt, `incomplete` ones lack an arm's trial. `title` names what tells this cell
    from the run's others.
    """

    model_config = ConfigDict(extra="forbid")

    site: str
    path: str
    origin: str
    client: str
    title: str
    blocks: int
    abandoned: int = 0
    incomplete: int = 0
    arms: dict[str, ArmSummary]
    comparisons: list[Comparison]
    notes: list[str] = Field(default_factory=list)

    @property
    def cell(self) -> Cell:
        """The cell as its trials name it."""
        return Cell(site=self.site, path=self.path, origin=self.origin, client=self.client)

    def comparison(
        self, arm: str, metric: Metric = "load", statistic: Statistic = "median"
    ) -> Comparison | None:
        """The comparison of `arm` with the baseline, or None where there is none."""
        for found in self.comparisons:
            if (found.arm, found.metric, found.statistic) == (arm, metric, statistic):
                return found
        return None


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


class Explained(BaseModel):
    """What makes an arm of a cell differ from another, step by step: the steps' ratios multiply, their
    differences add up, to those of `total`.

    `reason` says why there are no shares, null where there are. `words` says the whole in one sentence."""

    model_config = ConfigDict(extra="forbid")

    site: str
    path: str
    origin: str
    client: str
    title: str
    name: str
    metric: Metric
    blocks: int
    total: Change
    steps: list[Step]
    reason: str | None = None
    words: str

    @property
    def cell(self) -> Cell:
        """The cell as its trials name it."""
        return Cell(site=self.site, path=self.path, origin=self.origin, client=self.client)


class Summary(BaseModel):
    """What a run found. `margin` is the equivalence margin as a fraction, `limit_s` a trial's limit.

    `label`, where there is one, qualifies everything the run says ("no emulated network on this host").
    `headline` holds one sentence for each arm that is compared. `explanations` are those that the experiment
    asks for, cell after cell.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    seed: int
    arms: list[str]
    baseline: str
    margin: float
    limit_s: float
    confidence: float = 0.95
    resamples: int
    label: str | None = None
    headline: list[str]
    notes: list[str] = Field(default_factory=list)
    cells: list[CellSummary]
    explanations: list[Explained] = Field(default_factory=list)

    def explained(self, cell: Cell) -> list[Explained]:
        """What is explained of a cell."""
        return [found for found in self.explanations if found.cell == cell]

    def write(self, path: Path) -> None:
        """Writes the summary as JSON; raises OSError where the file can't be written."""
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
