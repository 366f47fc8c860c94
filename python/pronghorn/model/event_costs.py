"""What the events of a run cost, arm by arm and server by server."""

from pydantic import ConfigDict, Field

from pronghorn.model.cell import InCell


class EventCost(InCell):
    """What events of one kind (`do`) cost an arm of a cell, over its trials. `title` names the cell.

    `events` were done in `trials` loads that sent `requests` in all, of which `lost` failed after such an
    event, by kind in `kinds`; the earliest `first_lost_s` and the latest `last_lost_s` after it began, null
    where none failed. `longest_s` is the longest time that one took until it was done. `retried` were sent
    again because the server had refused them unprocessed, and `unsent` never found a connection: both of
    whole loads, whatever caused it. `words` says so."""

    model_config = ConfigDict(extra="forbid")

    title: str
    arm: str
    do: str
    trials: int
    events: int
    requests: int
    lost: int
    kinds: dict[str, int] = Field(default_factory=dict)
    retried: int
    unsent: int
    first_lost_s: float | None = None
    last_lost_s: float | None = None
    longest_s: float
    words: str
