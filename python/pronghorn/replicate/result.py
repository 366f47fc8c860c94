"""What a replication found. Times are seconds; null stands for what isn't finite or can't be had."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.expression import Kind
from pronghorn.model.study import ClaimStatistic, Size
from pronghorn.model.summary import Interval, Metric, State

Direction = Literal["towards", "away", "not told"]
"""The direction in which a factor moves a value, relative to the published one."""

Apart = Literal["one run", "runs", "hosts"]
"""What differs between the two sides of a comparison: only the change, or also the run and its hour, or also
the host."""


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Value(_Result):
    """A measured value with its 95 % interval, on `blocks` blocks; `failed` of the loads behind it failed, by
    arm and path. `reason` says why there is no interval."""

    value: float | None
    ci95: Interval = (None, None)
    blocks: int = 0
    failed: dict[str, int] = Field(default_factory=dict)
    reason: str | None = None


class Cause(_Result):
    """What one change of the setting does to a value: what it becomes (`ours`), by how much that is another
    (`change`, a ratio of ratios or a difference of differences), and whether that leads to the published
    one. `terms` are what it is made of, `apart` says what else lies between the two."""

    factor: str
    ours: Value
    terms: list[float | None] = Field(default_factory=list)
    change: float | None
    change_ci95: Interval
    direction: Direction
    state: State
    apart: Apart = "one run"


class Tested(_Result):
    """One comparison on which a claim rests. `theirs` is the published value, as a range; `theirs_hold` says
    whether the author's own figure lies within the bounds: where it doesn't, the claim doesn't rest on this
    comparison. A `premise` that isn't reproduced leaves the claim undecided. `terms` and `their_terms` are
    what both values are made of, ours of `trials`, a run's arm each. `spoilt` are those of its arms of which
    at least half of the loads were contaminated, with the numbers of both. `causes` are given where it is
    not reproduced."""

    what: str
    case: str
    kind: Kind
    metric: Metric
    statistic: ClaimStatistic
    theirs: tuple[float, float] | None
    theirs_hold: bool | None
    least: float | None
    most: float | None
    ours: Value
    state: State
    premise: bool = False
    terms: list[float | None] = Field(default_factory=list)
    their_terms: list[float | None] = Field(default_factory=list)
    trials: list[str] = Field(default_factory=list)
    spoilt: dict[str, tuple[int, int]] = Field(default_factory=dict)
    causes: list[Cause] = Field(default_factory=list)

    @property
    def counted(self) -> bool:
        """Whether the claim rests on it: what their own figures contradict nobody can reproduce by measuring
        as they did."""
        return self.theirs_hold is not False


class ReadingFound(_Result):
    """A claim in one setting."""

    setting: str
    state: State
    parts: list[Tested]

    @property
    def unreproduced(self) -> list[Tested]:
        """The parts that ask for a reason: none where a premise fails, since then there is nothing to
        explain."""
        counted = [one for one in self.parts if one.counted]
        if any(one.premise and one.state != "reproduced" for one in counted):
            return []
        return [one for one in counted if one.state == "not reproduced"]


class ClaimFound(_Result):
    """A claim: what it is in all of its readings, undecided where they differ. `words` says so; `note` says
    how it is read."""

    claim: str
    note: str | None = None
    state: State
    words: str
    readings: list[ReadingFound]


class InSetting(_Result):
    """An effect in one setting, or `any` where all share it; `agrees` where the published value lies within
    the interval. `terms` are what it is made of."""

    setting: str
    ours: Value
    terms: list[float | None] = Field(default_factory=list)
    agrees: bool | None


class Effect(_Result):
    """A published effect beside ours. `nearest` is the setting in which ours is nearest to it, of those that
    have an interval, where these are more than one; `terms` are the published figures that it is made of."""

    what: str
    case: str
    kind: Kind
    metric: Metric
    statistic: ClaimStatistic
    theirs: float | None
    terms: list[float | None] = Field(default_factory=list)
    settings: list[InSetting]
    nearest: str | None = None


class RunFound(_Result):
    """One of the runs that all this rests on, on `used` of its trials. `spoilt` are the arms of cells of
    which at least half of the trials were contaminated, with the numbers of both. `notes` are its
    manifest's, `explanations` the sentences of its summary that take differences between arms apart."""

    name: str
    experiment: str
    directory: str
    command: str
    seed: int
    finished: bool
    trials: int
    used: int
    contaminated: int
    spoilt: dict[str, tuple[int, int]] = Field(default_factory=dict)
    wall_s: float | None
    notes: dict[str, Any]
    explanations: list[str]


class StudyFound(_Result):
    """A study's replication."""

    study: str
    title: str
    size: Size
    runs: list[RunFound]
    claims: list[ClaimFound]
    effects: list[Effect]
