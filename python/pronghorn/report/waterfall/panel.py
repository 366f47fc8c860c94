"""A cell's waterfalls: a panel an arm, all on one time axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pronghorn.analysis.numbers import count, seconds
from pronghorn.analysis.protocols import listed, protocols
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import PageLoad, Trial, Vitals
from pronghorn.report.chart_data import ChartData
from pronghorn.report.units import unit_for
from pronghorn.report.waterfall.axis import Axis, Tick, axis
from pronghorn.report.waterfall.bars import bars
from pronghorn.report.waterfall.chosen import chosen
from pronghorn.report.waterfall.lines import Line, heading, lines
from pronghorn.report.waterfall.phases import PHASES, Phase, Request, requests
from pronghorn.report.waterfall.requests_data import requests_data
from pronghorn.runs.skim import Whole, as_it_is

MARKS = {
    "load": "load",
    "fcp": "first contentful paint",
    "lcp": "largest contentful paint",
    "moved": "the client's new address",
}
"""What is marked on the axis, by its class in the stylesheet."""


@dataclass(frozen=True)
class Panel:
    """One arm's waterfall as the template shows it; `place` is the arm's among the cell's."""

    arm: str
    place: int
    about: str
    heading: str
    lines: list[Line]
    drawing: str
    data: ChartData


@dataclass(frozen=True)
class Waterfalls:
    """A cell's panels with what they share: the axis, and the phases and marks that occur, among them whether
    an origin told how long it had requests (`served`)."""

    panels: list[Panel]
    ticks: list[Tick]
    unit: str
    phases: dict[Phase, str]
    served: bool
    marks: dict[str, str]


def waterfalls(
    cell: CellSummary, trials: Mapping[str, Sequence[Trial]], whole: Whole = as_it_is
) -> Waterfalls | None:
    """The waterfalls of a cell: of each arm the trial nearest to its median, which `whole` gives with its
    requests; None where no trial recorded them."""
    picked = [
        (place, arm, trial, trial.page, requests(trial.page, trial.origin_log))
        for place, (arm, mine) in enumerate(trials.items())
        if (found := chosen(mine, cell.arms[arm].median)) is not None
        and (trial := whole(found)).page is not None
        and trial.page.resources
    ]
    if not picked:
        return None
    marked = {arm: _marks(page) for _, arm, _, page, _ in picked}
    spans = [span for *_, rows in picked for row in rows for span in row.spans]
    scale = axis([*(span.to_s for span in spans), *(at for marks in marked.values() for _, at in marks)])
    drawn = {span.phase for span in spans}
    named = {name for marks in marked.values() for name, _ in marks}
    return Waterfalls(
        panels=[
            _panel(cell.title, place, arm, trial, page, rows, marked[arm], scale)
            for place, arm, trial, page, rows in picked
        ],
        ticks=[Tick(scale.label(at), round(100 * at / scale.end_s, 1)) for at in scale.ticks_s],
        unit=scale.unit.symbol,
        phases={phase: name for phase, name in PHASES.items() if phase in drawn},
        served=any(row.served_s is not None for *_, rows in picked for row in rows),
        marks={mark: name for mark, name in MARKS.items() if mark in named},
    )


def _panel(
    title: str,
    place: int,
    arm: str,
    trial: Trial,
    page: PageLoad,
    rows: list[Request],
    marks: Sequence[tuple[str, float]],
    scale: Axis,
) -> Panel:
    unit = unit_for([scale.end_s])
    return Panel(
        arm=arm,
        place=place,
        about=_about(trial, page),
        heading=heading(rows, unit),
        lines=lines(rows, unit),
        drawing=bars(
            rows, marks, scale, f"Waterfall of {arm}. The list before it has the times of its requests."
        ),
        data=requests_data(title, arm, rows),
    )


def _about(trial: Trial, page: PageLoad) -> str:
    parts = [f"Block {trial.block}" + (f", attempt {trial.attempt}" if trial.attempt else "")]
    if trial.status == "failed":
        parts.append(f"failed: {trial.reason}" + (f" ({trial.detail})" if trial.detail else ""))
    if page.load_s is not None:
        parts.append(f"load {seconds(page.load_s)}")
    if page.ttfb_s is not None:
        parts.append(f"first byte {seconds(page.ttfb_s)}")
    parts += [f"{name.upper()} {seconds(at)}" for name, at in _marks(page) if name in ("fcp", "lcp")]
    parts.append(_requests(page))
    parts.append(_connections(page))
    return " · ".join(parts)


def _requests(page: PageLoad) -> str:
    said = f"requests: {listed(protocols(page))}"
    failed = sum(1 for each in page.resources if each.error is not None)
    cached = sum(1 for each in page.resources if each.from_cache)
    return said + (f", {failed} failed" if failed else "") + (f", {cached} from the cache" if cached else "")


def _connections(page: PageLoad) -> str:
    said = count(len(page.connections), "connection")
    resumed = sum(1 for each in page.connections if each.resumed)
    early = [each.early_data for each in page.connections if each.early_data]
    if resumed:
        said += f", {resumed} resumed"
    for answer in ("accepted", "rejected"):
        if answer in early:
            said += f", 0-RTT {answer}" + (f" on {early.count(answer)}" if len(page.connections) > 1 else "")
    return said


def _marks(page: PageLoad) -> list[tuple[str, float]]:
    vitals = page.vitals or Vitals()
    found = [("load", page.load_s), ("fcp", vitals.fcp_s), ("lcp", vitals.lcp_s)]
    moves = [("moved", at) for connection in page.connections for at in connection.migrations]
    return [(name, at) for name, at in (*found, *moves) if at is not None]
