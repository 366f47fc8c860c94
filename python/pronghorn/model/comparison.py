"""One statistic of an arm, alone and beside the baseline's, and the words for what is compared.

Times are seconds, ratios are arm over baseline (below 1: the arm is faster). A figure that isn't finite,
because failed trials (which count as infinitely slow) reach into it, is null; so is one that can't be had.
"""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal["faster", "slower", "same", "undecided"]
Metric = Literal[
    "load", "ttfb", "lcp", "requests_per_second",
    "connect_p50", "connect_p90", "connect_p99", "connect_p999",
    "first_byte_p50", "first_byte_p90", "first_byte_p99", "first_byte_p999",
    "total_p50", "total_p90", "total_p99", "total_p999",
]  # fmt: skip
"""What is compared. `load` is the time of a page load, or of a load of many requests until its last response;
the latencies are such a load's percentiles over its connections or requests. `lcp` is when a browser painted
the largest content."""

LATENCIES: tuple[Metric, ...] = tuple(
    metric for metric in get_args(Metric) if metric.startswith(("connect_", "first_byte_", "total_"))
)
HIGHER_IS_BETTER: frozenset[Metric] = frozenset({"requests_per_second"})

Statistic = Literal["median", "mean", "trimmed_mean", "p75", "p90", "p95", "p99"]

Interval = tuple[float | None, float | None]
"""The two ends of a 95 % interval; null stands for an end that isn't finite, or for none."""


class Figures(BaseModel):
    """Statistics of one metric over an arm's trials: of a time in seconds, of a rate in requests a second.

    `mean` is null in every arm of a cell in which any trial failed. `trimmed_mean` leaves out a fifth of the
    trials at each end, and is null where a failed one is left. `p75` to `p99` are the nearest-rank quantiles
    (Hyndman & Fan 1996, type 1). `ci95` has the intervals of the median and of those quantiles by the
    statistic's name, between two of the measured values; `needs` those that can't be had with so few blocks,
    with the least number of blocks for each. Between two looks of a cell's sampling there is neither.
    """

    model_config = ConfigDict(extra="forbid")

    median: float | None = None
    mean: float | None = None
    trimmed_mean: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    min: float | None = None
    max: float | None = None
    ci95: dict[str, Interval] = Field(default_factory=dict)
    needs: dict[str, int] = Field(default_factory=dict)


FIGURES: tuple[str, ...] = tuple(
    name for name, field in Figures.model_fields.items() if field.annotation == (float | None)
)
"""The statistics of a metric by their names, without their intervals."""


class Ratio(BaseModel):
    """A ratio to the baseline over `blocks` blocks, with its 95 % interval."""

    model_config = ConfigDict(extra="forbid")

    ratio: float | None
    ci95: Interval
    blocks: int


class Comparison(BaseModel):
    """One statistic of an arm as a ratio to the baseline's, with its 95 % interval and what follows from it.

    `difference` is the arm's less the baseline's, in the metric's own unit. Null in a value or an interval
    stands for what isn't finite or isn't defined; `reason` says why where the verdict does not rest on an
    interval, `caution` why an interval may be wrong more often than one in twenty. `words` says the whole in
    one sentence.

    Of medians: `superiority` is the probability that the arm is the better one in a block, a tie counting
    half; `p_value` a rank test's within blocks, of arms that are alike; `q_value`, where the run's verdict
    rests on the comparison, the same corrected for all of the run's. `finished` is the ratio over the blocks
    in which both arms' loads succeeded, where any failed (otherwise null): a failed load is the worst outcome
    in all other figures.
    """

    model_config = ConfigDict(extra="forbid")

    metric: Metric
    statistic: Statistic
    arm: str
    baseline: str
    ratio: float | None
    ci95: Interval
    difference: float | None = None
    ci95_difference: Interval = (None, None)
    superiority: float | None = None
    ci95_superiority: Interval = (None, None)
    p_value: float | None = None
    q_value: float | None = None
    finished: Ratio | None = None
    verdict: Verdict
    reason: str | None = None
    caution: str | None = None
    words: str
