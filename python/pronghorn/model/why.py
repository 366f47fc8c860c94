"""Where a page load's time went: its parts, and what bytes waited for that had arrived."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.bounds import Count, Moment, Number, Seconds, Several, Text, Whole

Part = Literal[
    "lookup",
    "handshake",
    "request",
    "server",
    "bandwidth",
    "congestion",
    "flow_control",
    "recovery",
    "head_of_line",
    "client",
    "other",
]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts in the order in which they are shown."""


class Waits(BaseModel):
    """How long bytes that had arrived waited. `stalled_s` is the time in which some bytes of a stream waited
    for bytes of other streams alone, `byte_seconds` the bytes times their waiting; `own_stalled_s` and
    `own_byte_seconds` the same of those that waited for earlier bytes of their own stream."""

    model_config = ConfigDict(extra="forbid")

    stalled_s: Seconds = 0.0
    byte_seconds: Number = 0.0
    own_stalled_s: Seconds = 0.0
    own_byte_seconds: Number = 0.0


class StreamWaits(Waits):
    """The waits of one stream of a connection, which are numbered as in the trial's arrivals."""

    connection: Count
    id: Whole
    path: Text | None = None


class HeadOfLine(Waits):
    """The waits of all streams of a load: sums over the streams. `streams` are those in which something
    waited, `counted` how many were looked at."""

    counted: Count = 0
    streams: Annotated[list[StreamWaits], Several] = Field(default_factory=list)


class Why(BaseModel):
    """The seconds of a load's parts, which add up to the load's time: every part is named, or none is.

    `reason` says why there are no parts, or what could not be told apart and stands under `other`.
    `head_of_line` is null where no stream was seen."""

    model_config = ConfigDict(extra="forbid")

    parts: dict[Part, Moment] = Field(default_factory=dict)
    head_of_line: HeadOfLine | None = None
    reason: Text | None = None


class ArmWhy(BaseModel):
    """The parts of an arm's loads in one cell: of each part the median over the `n` loads that ended and
    whose parts are known, and of their load times `load_s`. Medians of parts needn't add up to the median of
    loads.

    `stalled_s`, `byte_seconds` and their `own_` are the medians of `HeadOfLine`'s, null where nobody saw
    streams. `reasons` says of how many loads something could not be told apart, by why."""

    model_config = ConfigDict(extra="forbid")

    n: int
    load_s: float
    parts: dict[Part, float]
    stalled_s: float | None = None
    byte_seconds: float | None = None
    own_stalled_s: float | None = None
    own_byte_seconds: float | None = None
    reasons: dict[str, int] = Field(default_factory=dict)
