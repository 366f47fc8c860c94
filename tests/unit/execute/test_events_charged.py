"""What failed in a load is charged to the event before it, and only that keeps the load from failing."""

import pytest

from pronghorn.clients.load import REQUESTS
from pronghorn.execute import events
from pronghorn.execute.events import Done
from pronghorn.model.events import Due
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import PageLoad

from ..analysis.published_loads import cell, trial

BEGAN_S = 1000.0
DONE = (Done(Due(2.0, "reload"), 1002.0, 0.1), Done(Due(6.0, "restart"), 1006.0, 0.2))


def report(*failures: tuple[float, str, int]) -> LoadReport:
    """A load that began at `BEGAN_S`, with failures: when, how, how many."""
    page = trial(cell("near"), "h2", 0, 100.0).page
    assert page is not None and page.report is not None
    failed: dict[str, int] = {}
    for _, kind, requests in failures:
        failed[kind] = failed.get(kind, 0) + requests
    times = [{"monotonic_s": at_s, "kind": kind, "requests": n} for at_s, kind, n in failures]
    told = page.report.model_dump() | {"failure_times": times, "window_monotonic_s": BEGAN_S}
    told["requests"] |= {"failed": failed, "succeeded": 1000 - sum(failed.values())}
    return LoadReport.model_validate(told)


def judged(*failures: tuple[float, str, int]) -> PageLoad:
    found = report(*failures)
    page = PageLoad(outcome="failed", reason=REQUESTS, detail="some failed", report=found)
    records, before = events.charged(DONE, found)
    return events.judged(page, found, records, before)


def test_a_loss_is_charged_to_the_event_before_it() -> None:
    records, before = events.charged(
        DONE, report((1002.0, "reset", 1), (1005.9, "connection", 2), (1006.5, "reset", 4))
    )
    assert before == 0
    assert [one.lost for one in records] == [{"reset": 1, "connection": 2}, {"reset": 4}]
    assert [one.losses for one in records] == [3, 4]
    assert [one.at_s for one in records] == [2.0, 6.0]
    first, second = records
    assert (first.first_lost_s, first.last_lost_s) == pytest.approx((0.0, 3.9))
    assert (second.first_lost_s, second.last_lost_s) == pytest.approx((0.5, 0.5))


def test_what_failed_before_or_was_cut_at_the_end_is_no_events() -> None:
    records, before = events.charged(DONE, report((1001.0, "reset", 5), (1009.0, "cut", 7)))
    assert before == 5
    assert [one.losses for one in records] == [0, 0]
    assert records[0].first_lost_s is None


def test_a_load_is_not_failed_by_what_its_events_cost() -> None:
    page = judged((1002.1, "connection", 3))
    assert (page.outcome, page.reason) == ("ok", None)
    assert page.load_s == pytest.approx(10.0)


@pytest.mark.parametrize(
    "failure", [(1001.0, "reset", 1), (1003.0, "protocol", 1), (1003.0, "cut", 1), (1003.0, "reset", 1000)]
)
def test_any_other_failure_fails_it(failure: tuple[float, str, int]) -> None:
    assert judged(failure).outcome == "failed"


def test_events_must_fall_into_the_load() -> None:
    records, _ = events.charged(DONE, report())
    assert events.outside(records, report()) is None
    late = [Done(Due(9.0, "reload"), 1011.0, 0.1)]
    records, _ = events.charged(late, report())
    assert events.outside(records, report()) == "a reload due at 9 s began at 11.00 s of 10.00 s"
