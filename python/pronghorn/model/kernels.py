"""What kernels and clocks do to the arms of a run that compares several.

Times are seconds. Null stands for what isn't finite or isn't defined."""

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.cell import InCell
from pronghorn.model.comparison import Interval, Metric, Verdict


class KernelChange(InCell):
    """How the median of an arm's leading metric on one kernel compares with that on another, `against`, over
    the blocks that both have: as a ratio and as a difference in the metric's unit. `title` names the cell
    without its kernel. The kernels' names are a cell's; `host` is this machine in real time. Failed loads, of
    which there are `failed` and `failed_against`, count as endless."""

    model_config = ConfigDict(extra="forbid")

    title: str
    arm: str
    against: str
    metric: Metric
    blocks: int
    failed: int = 0
    failed_against: int = 0
    ratio: float | None
    ci95: Interval
    difference: float | None
    ci95_difference: Interval
    verdict: Verdict
    reason: str | None = None
    words: str


class Difference(BaseModel):
    """A difference of two median load times in seconds, with its interval."""

    model_config = ConfigDict(extra="forbid")

    s: float | None
    ci95_s: Interval


class ClockSplit(InCell):
    """What of the difference between an arm and the baseline is the protocols', and what this machine's.

    `real` is the difference of their median load times in real time. `protocols` is the one in virtual time,
    where computing takes no time: it comes from network, kernel and protocols. `machine` is what this machine
    adds, by computing and by another version of the kernel: the median over blocks of how much longer the
    block's difference is in real time. So the parts add up to the whole roughly. All three are over the
    blocks that both clocks have; `kernel` is the guest's."""

    model_config = ConfigDict(extra="forbid")

    title: str
    arm: str
    baseline: str
    blocks: int
    real: Difference
    protocols: Difference
    machine: Difference
    reason: str | None = None
    words: str


class Kernels(BaseModel):
    """What a run says of its kernels and clocks; empty where it has one of each."""

    model_config = ConfigDict(extra="forbid")

    changes: list[KernelChange] = Field(default_factory=list)
    splits: list[ClockSplit] = Field(default_factory=list)
