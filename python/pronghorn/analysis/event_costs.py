"""What server events cost: requests lost in a run's loads, by cell, arm and kind of event."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.numbers import count, seconds
from pronghorn.model.event_costs import EventCost
from pronghorn.model.events import KILL_WORKER
from pronghorn.model.trial import Trial

_NOUNS: Mapping[str, str] = {KILL_WORKER: "killed worker"}


def event_costs(measured: Sequence[CellTrials], titles: Sequence[str]) -> list[EventCost]:
    """One for each kind of event that was done in an arm's loads; none of runs without events."""
    return [
        _cost(of_cell, title, arm, do, trials)
        for of_cell, title in zip(measured, titles, strict=True)
        for arm in of_cell.arms
        if (trials := [trial for trial in of_cell.of(arm) if trial.events])
        for do in dict.fromkeys(event.do for trial in trials for event in trial.events)
    ]


def _cost(of_cell: CellTrials, title: str, arm: str, do: str, trials: Sequence[Trial]) -> EventCost:
    events = [event for trial in trials for event in trial.events if event.do == do]
    reports = [
        trial.page.report for trial in trials if trial.page is not None and trial.page.report is not None
    ]
    kinds = Counter[str]()
    for event in events:
        kinds.update(event.lost)
    lost, sent = kinds.total(), sum(report.requests.sent for report in reports)
    firsts = [event.first_lost_s for event in events if event.first_lost_s is not None]
    lasts = [event.last_lost_s for event in events if event.last_lost_s is not None]
    span = (min(firsts), max(lasts)) if firsts and lasts else None
    retried = sum(report.requests.retried for report in reports)
    unsent = sum(report.requests.unsent for report in reports)
    return EventCost(
        **of_cell.cell.model_dump(),
        title=title,
        arm=arm,
        do=do,
        trials=len(trials),
        events=len(events),
        requests=sent,
        lost=lost,
        kinds=dict(sorted(kinds.items())),
        retried=retried,
        unsent=unsent,
        first_lost_s=span[0] if span else None,
        last_lost_s=span[1] if span else None,
        longest_s=max(event.took_s for event in events),
        words=_words(arm, title, count(len(events), _NOUNS.get(do, do)), lost, sent, span, retried, unsent),
    )


def _words(
    arm: str,
    title: str,
    events: str,
    lost: int,
    sent: int,
    span: tuple[float, float] | None,
    retried: int,
    unsent: int,
) -> str:
    """`h1 lost 3 of 1000 requests in 2 reloads`, and when."""
    said = f"{title}: {arm} lost {lost or 'none'} of {count(sent, 'request')} in {events}"
    if span is not None:
        first, last = (seconds(time) for time in span)
        when = first if first == last else f"{first} to {last}"
        said += f", {when} after the event began"
    more = [f"{retried} retried safely"] if retried else []
    more += [f"{unsent} never sent"] if unsent else []
    return f"{said} ({', '.join(more)})" if more else said
