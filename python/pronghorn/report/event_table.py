"""What server events cost, as a table of text: the same on the terminal and in the report."""

from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.model.event_costs import EventCost
from pronghorn.model.summary import Summary
from pronghorn.report.chart_data import ChartData

TITLE = "What did the server events cost?"
NOTE = (
    "Lost: requests that failed after an event, and before the next one. Retried: requests that the server "
    "refused unprocessed (GOAWAY), so that a client may repeat them. Not sent: requests without a connection."
)
HEADINGS = ("event", "times", "requests", "lost", "retried", "not sent", "first lost", "last lost")


class EventRow(NamedTuple):
    """One kind of event in an arm's loads: `figures` in the order of `HEADINGS`."""

    cell: str
    arm: str
    figures: tuple[str, ...]
    lost: int


class EventView(NamedTuple):
    """The rows, and the same as a file."""

    rows: tuple[EventRow, ...]
    figures: ChartData
    title: str = TITLE
    note: str = NOTE
    headings: tuple[str, ...] = HEADINGS


def event_view(summary: Summary) -> EventView | None:
    """The view of a run with events; None of any other."""
    if not summary.events:
        return None
    return EventView(tuple(map(_row, summary.events)), _data(summary.events))


def _row(found: EventCost) -> EventRow:
    numbers = (found.events, found.requests, found.lost, found.retried, found.unsent)
    times = ("" if time is None else seconds(time) for time in (found.first_lost_s, found.last_lost_s))
    return EventRow(found.title, found.arm, (found.do, *map(str, numbers), *times), found.lost)


def _data(found: list[EventCost]) -> ChartData:
    return ChartData(
        name="events",
        about="Requests lost after server events, and how long after an event began",
        columns=(
            "cell", "arm", "event", "trials", "events", "requests", "lost", "retried", "unsent",
            "first_lost_s", "last_lost_s",
        ),
        rows=tuple(
            (
                one.title, one.arm, one.do, one.trials, one.events, one.requests, one.lost, one.retried,
                one.unsent, one.first_lost_s, one.last_lost_s,
            )
            for one in found
        ),
    )  # fmt: skip
