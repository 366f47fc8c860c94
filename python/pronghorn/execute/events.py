"""Server events in a load: done when they are due, and charged with the requests that failed after them."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.clients.load import REQUESTS, LoadSession
from pronghorn.engine import Engine
from pronghorn.model.event_record import EventRecord
from pronghorn.model.events import Due, schedule
from pronghorn.model.experiment import Experiment
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import PageLoad
from pronghorn.origins import OriginFailed, RunningOrigin
from pronghorn.origins.events import TakesEvents

OUTSIDE = "event"
"""The reason of a trial whose events did not all fall into the load's window."""

CUT = "cut"
"""Requests that the load's own end cut; no event cost them."""

LOSSES = frozenset({"reset", "refused", "connection", "short", "status", "timeout"})
"""The kinds of failures that an event can cost."""

_ROUNDING_S = 0.001
"""The resolution of the engine's times of failures."""


class Done(NamedTuple):
    """An event that was done: when it began, in seconds of CLOCK_MONOTONIC, and how long it took."""

    due: Due
    began_s: float
    took_s: float


async def load(
    engine: Engine, origin: RunningOrigin, client: LoadSession, experiment: Experiment
) -> tuple[PageLoad, list[EventRecord]]:
    """One load in which the experiment's events are done; OriginFailed where one can't be."""
    if not isinstance(origin, TakesEvents) or experiment.load is None:
        raise OriginFailed("the origin takes no events")
    due, done = schedule(experiment.events, experiment.load), list[Done]()
    begins_s = experiment.load.warm_up_s

    async def act() -> None:
        base_s = time.monotonic() + begins_s
        for one in due:
            await engine.let_pass(max(0.0, base_s + one.at_s - time.monotonic()))
            began_s = await origin.perform(one.do)
            done.append(Done(one, began_s, time.monotonic() - began_s))

    page = await client.load_while(act)
    if page.report is None:
        return page, []
    records, before = charged(done, page.report)
    return judged(page, page.report, records, before), records


def charged(done: Sequence[Done], report: LoadReport) -> tuple[list[EventRecord], int]:
    """Each event with the requests that failed since it began and before the next, and how many failed
    before the first. Requests that the load's end cut are nobody's."""
    lost: list[Counter[str]] = [Counter() for _ in done]
    spans: list[list[float]] = [[] for _ in done]
    before = 0
    for failure in report.failure_times:
        if failure.kind == CUT:
            continue
        since = [place for place, one in enumerate(done) if one.began_s <= failure.monotonic_s + _ROUNDING_S]
        if not since:
            before += failure.requests
            continue
        place = since[-1]
        lost[place][failure.kind] += failure.requests
        spans[place].append(max(0.0, failure.monotonic_s - done[place].began_s))
    window_s = report.window_monotonic_s or 0.0
    records = [
        EventRecord(
            do=one.due.do,
            due_s=one.due.at_s,
            at_s=one.began_s - window_s,
            took_s=one.took_s,
            lost=dict(kinds),
            first_lost_s=min(span, default=None),
            last_lost_s=max(span, default=None),
        )
        for one, kinds, span in zip(done, lost, spans, strict=True)
    ]
    return records, before


def outside(records: Sequence[EventRecord], report: LoadReport) -> str | None:
    """Why the events aren't those of the load, as a clause: one began before its window or after it; None
    where all are."""
    if report.window_monotonic_s is None:
        return "the load never began"
    for one in records:
        if not 0 <= one.at_s <= report.window_s:
            return f"a {one.do} due at {one.due_s:g} s began at {one.at_s:.2f} s of {report.window_s:.2f} s"
    return None


def judged(page: PageLoad, report: LoadReport, records: Sequence[EventRecord], before: int) -> PageLoad:
    """The load. Requests that its events cost are what it is to measure, and don't fail it; others do."""
    if page.reason != REQUESTS or not report.requests.succeeded or before:
        return page
    charged_to = Counter[str]()
    for one in records:
        charged_to.update(one.lost)
    if charged_to != Counter(report.requests.failed) or not charged_to.keys() <= LOSSES:
        return page
    return page.model_copy(
        update={"outcome": "ok", "reason": None, "detail": None, "load_s": report.window_s}
    )
