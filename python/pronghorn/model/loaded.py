"""What a cell's loads loaded and why trials came to nothing: what stands beside a verdict."""

from pydantic import BaseModel, ConfigDict, Field


class Failure(BaseModel):
    """The commonest `reason` for which trials failed, or were discarded: in how many of them (`trials`), and
    the commonest `detail` of it, as it was recorded; null where none was."""

    model_config = ConfigDict(extra="forbid")

    reason: str
    trials: int
    detail: str | None = None


class LeftOutFor(BaseModel):
    """What a load left out for one reason: how many references it names, and some of their addresses."""

    model_config = ConfigDict(extra="forbid")

    named: int
    examples: list[str] = Field(default_factory=list)


class Loaded(BaseModel):
    """What an arm's page loads loaded: medians over those that succeeded, null where nobody tells.

    `requests` travelled, `bytes` are those of their bodies as transferred; `left_out` counts references that
    the load leaves out, `tolerated` requests that failed without failing the load. `left_out_for` has, of the
    load that left out most, the reasons (`LeftOut.why`) with examples; `scripts_not_run` the scripts that may
    make requests and that the client didn't run, null where there are none."""

    model_config = ConfigDict(extra="forbid")

    requests: float | None = None
    bytes: float | None = None
    left_out: float = 0
    tolerated: float = 0
    left_out_for: dict[str, LeftOutFor] = Field(default_factory=dict)
    scripts_not_run: LeftOutFor | None = None

    @property
    def left_out_share(self) -> float:
        """The share of the page's references that was left out, 0 where nobody tells."""
        whole = (self.requests or 0) + self.left_out
        return self.left_out / whole if whole else 0.0


class Unmeasured(BaseModel):
    """Why a run has measured nothing: in one sentence, and what to do about it."""

    model_config = ConfigDict(extra="forbid")

    text: str
    remedy: str
