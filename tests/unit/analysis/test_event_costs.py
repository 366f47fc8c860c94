"""What server events cost, in the summary, in words and in the report."""

from pronghorn.model.event_record import EventRecord
from pronghorn.model.trial import Trial
from pronghorn.report.event_table import event_view
from pronghorn.report.markdown import markdown

from .published_loads import cell, summary, trial


def lossy(arm: str, block: int, *lost: int) -> Trial:
    """A load with a reload for each number of losses."""
    records = [
        EventRecord(
            do="reload",
            due_s=2.0 + 4 * place,
            at_s=2.0 + 4 * place,
            took_s=0.1,
            lost={"connection": number} if number else {},
            first_lost_s=0.01 if number else None,
            last_lost_s=0.02 * number if number else None,
        )
        for place, number in enumerate(lost)
    ]
    return trial(cell("near"), arm, block, 200.0, events=records)


TRIALS = [lossy(arm, block, *lost) for block in range(2) for arm, lost in (("h1", (3, 1)), ("h3", (0, 0)))]


def test_losses_are_added_up_over_the_trials_of_an_arm() -> None:
    ours = [found for found in summary(TRIALS, published=None).events if found.events]
    h1, h3 = (next(found for found in ours if found.arm == arm) for arm in ("h1", "h3"))
    assert (h1.events, h1.requests, h1.lost, h1.kinds) == (4, 2000, 8, {"connection": 8})
    assert (h1.first_lost_s, h1.last_lost_s) == (0.01, 0.06)
    assert h1.words.endswith(
        "h1 lost 8 of 2000 requests in 4 reloads, 10.0 ms to 60.0 ms after the event began"
    )
    assert (h3.events, h3.lost, h3.first_lost_s) == (4, 0, None)
    assert h3.words.endswith("h3 lost none of 2000 requests in 4 reloads")


def test_the_report_shows_them() -> None:
    found = summary(TRIALS, published=None)
    view = event_view(found)
    assert view is not None
    assert [(row.arm, row.lost) for row in view.rows] == [("h1", 8), ("h3", 0)]
    assert "h1 lost 8 of 2000 requests in 4 reloads" in markdown(found, {})


def test_a_run_without_events_says_nothing_of_them() -> None:
    found = summary([trial(cell("near"), arm, 0, 200.0) for arm in ("h1", "h3")], published=None)
    assert found.events == [] and event_view(found) is None
    assert "events" not in found.model_dump()
