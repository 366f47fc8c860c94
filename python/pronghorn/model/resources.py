"""What single resources of a page took, arm beside arm.

Times are seconds, ratios are arm over baseline (below 1: the arm is faster). A figure that isn't finite,
because resources that never came (which count as infinitely slow) reach into it, is null; so is one that
can't be had.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model.comparison import Interval

Phase = Literal["queued", "waiting", "receiving"]
PHASES: tuple[Phase, ...] = ("queued", "waiting", "receiving")


class Spread(BaseModel):
    """The median of times, and their nearest-rank p95."""

    model_config = ConfigDict(extra="forbid")

    median: float | None = None
    p95: float | None = None


class ResourceTimes(BaseModel):
    """A resource's times over an arm's `n` loads that asked for it, or failed before they did; in `failed` of
    them it never came.

    `duration` is from when the client learned of it to its last byte. It falls into `queued`, until its
    request was sent (on the first of a connection the handshake is part of that), `waiting`, until its first
    byte, and `receiving`; these are of the loads in which it came."""

    model_config = ConfigDict(extra="forbid")

    n: int
    failed: int
    duration: Spread
    queued: Spread
    waiting: Spread
    receiving: Spread

    def of(self, phase: Phase) -> Spread:
        """A phase's times."""
        spread: Spread = getattr(self, phase)
        return spread


class ResourceComparison(BaseModel):
    """The ratio of an arm's median duration to the baseline's, and their difference, with 95 % intervals,
    over the `blocks` in which both tell of the resource. `p_value` is a rank test's that the arms are alike,
    `q_value` the same corrected for all resources, arms and cells of the run."""

    model_config = ConfigDict(extra="forbid")

    arm: str
    blocks: int
    ratio: float | None
    ci95: Interval
    difference: float | None
    ci95_difference: Interval
    p_value: float | None
    q_value: float | None = None


class ResourceSummary(BaseModel):
    """One resource of a cell's page."""

    model_config = ConfigDict(extra="forbid")

    path: str
    kind: str
    arms: dict[str, ResourceTimes]
    comparisons: list[ResourceComparison]


class CellResources(BaseModel):
    """A cell's resources in the order in which they were found. They rest on its first `blocks` blocks, the
    intervals on so many `resamples`; `left_out` resources beyond the most that are told are not among
    them."""

    model_config = ConfigDict(extra="forbid")

    blocks: int
    resamples: int
    left_out: int
    resources: list[ResourceSummary]
