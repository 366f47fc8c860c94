"""What an event in a load cost, as a trial's record has it."""

from pydantic import Field

from pronghorn.model.bounds import Counts, Moment, Seconds, Text
from pronghorn.model.from_engine import FromEngine


class EventRecord(FromEngine):
    """An event: what was done (`do`), when it was due and when it began, in seconds after the window's
    beginning, and how long it took until it was done. `lost` are the requests that failed from its beginning
    until the next event's, by kind; `first_lost_s` and `last_lost_s` say how long after its beginning the
    first and the last of them failed, null where none did."""

    do: Text
    due_s: Seconds
    at_s: Moment
    took_s: Seconds
    lost: Counts = Field(default_factory=dict)
    first_lost_s: Moment | None = None
    last_lost_s: Moment | None = None

    @property
    def losses(self) -> int:
        """How many requests it cost, of whatever kind."""
        return sum(self.lost.values())
