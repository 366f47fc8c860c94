"""A cell's handshake ladders: an arm a column, all on one time axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pronghorn.analysis.numbers import count, seconds
from pronghorn.model.arrivals import Unreadable
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report.arrived import has_arrivals, of_load
from pronghorn.report.chart_data import ChartData
from pronghorn.report.ladder.drawing import Column, drawing
from pronghorn.report.ladder.rungs import Ladder, ladder
from pronghorn.report.ladder.rungs_data import rungs_data
from pronghorn.report.waterfall.chosen import chosen


@dataclass(frozen=True)
class ArmLadder:
    """What the template says of an arm; `place` is the arm's among the cell's."""

    arm: str
    place: int
    about: str


@dataclass(frozen=True)
class Ladders:
    """A cell's ladders; `faults` say of which arms there is none, and why. Without any there is no
    drawing."""

    arms: list[ArmLadder]
    drawing: str | None
    label: str
    faults: list[str]
    data: ChartData | None


def ladders(cell: CellSummary, trials: Mapping[str, Sequence[Trial]], run: Path | None) -> Ladders | None:
    """The ladders of a cell, of each arm that of the trial nearest to its median among those with arrivals,
    out of the run's directory; None where no trial left any, or there is no directory."""
    if run is None or not any(has_arrivals(trial) for mine in trials.values() for trial in mine):
        return None
    columns: list[Column] = []
    arms: list[ArmLadder] = []
    faults: list[str] = []
    for place, (arm, mine) in enumerate(trials.items()):
        try:
            trial, found = _ladder(mine, cell.arms[arm].median, run)
        except Unreadable as fault:
            faults.append(f"{arm}: {fault}.")
        else:
            columns.append(Column(arm, place, found))
            arms.append(ArmLadder(arm, place, _about(trial, found)))
    said = "; ".join(f"{one.arm}: {one.about}" for one in arms)
    return Ladders(
        arms=arms,
        drawing=drawing(columns) if columns else None,
        label=f"Handshake ladders, packets between client and server down a time axis. {said}.",
        faults=faults,
        data=rungs_data(cell.title, columns) if columns else None,
    )


def _ladder(trials: Sequence[Trial], median_s: float | None, run: Path) -> tuple[Trial, Ladder]:
    trial = chosen([one for one in trials if has_arrivals(one)], median_s)
    if trial is None:
        raise Unreadable("no trial that could represent it has arrivals")
    return trial, ladder(*of_load(run, trial))


def _about(trial: Trial, found: Ladder) -> str:
    parts = [f"block {trial.block}" + (f", attempt {trial.attempt}" if trial.attempt else "")]
    parts.append(f"load {seconds(trial.metrics.load_s)}" if trial.metrics.load_s is not None else "failed")
    parts += [f"{phase.name} {seconds(phase.to_s - phase.from_s)}" for phase in found.phases]
    if found.phases and found.phases[-1].name == "request":
        parts.append(f"first byte of the content arrived at {seconds(found.phases[-1].to_s)}")
        if trial.metrics.ttfb_s is not None:
            parts.append(f"the client had the response's header at {seconds(trial.metrics.ttfb_s)}")
    if dropped := sum(rung.arrived_s is None for rung in found.rungs):
        parts.append(f"{count(dropped, 'packet')} dropped")
    if again := sum(rung.again for rung in found.rungs):
        parts.append(f"{again} retransmitted")
    if found.others:
        parts.append(f"{count(found.others, 'further connection')} not shown")
    return " · ".join(parts)
