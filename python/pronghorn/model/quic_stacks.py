"""Two QUIC stacks under one arm of HTTP/3, beside each other.

Ratios are of medians; null stands for what isn't finite or isn't defined."""

from pydantic import BaseModel, ConfigDict

from pronghorn.model.cell import InCell
from pronghorn.model.comparison import Interval, Verdict


class OnStack(BaseModel):
    """What an arm's `verdict` against the baseline is on the QUIC `stack` that it names."""

    model_config = ConfigDict(extra="forbid")

    arm: str
    stack: str
    verdict: Verdict
    ratio: float | None
    ci95: Interval


class StackPair(InCell):
    """Two arms over HTTP/3 that differ in their QUIC stack alone, in one cell. `title` names the cell.

    `verdict` compares `one` with `other`, by `ratio`. `is_the_stacks` says that their verdicts against the
    baseline differ and that they differ from each other, so that neither verdict is HTTP/3's own."""

    model_config = ConfigDict(extra="forbid")

    title: str
    baseline: str
    one: OnStack
    other: OnStack
    blocks: int
    ratio: float | None
    ci95: Interval
    verdict: Verdict
    is_the_stacks: bool
    words: str
