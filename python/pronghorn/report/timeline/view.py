"""A cell's timeline: two loads of one block, h2 above h3, on one time axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pronghorn.analysis.numbers import count, ratio, seconds
from pronghorn.model.arrivals import Unreadable
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report.arrived import of_load
from pronghorn.report.chart_data import ChartData
from pronghorn.report.timeline import lines
from pronghorn.report.timeline.drawing import drawing
from pronghorn.report.timeline.lanes import Drop, Lane, drops, lanes
from pronghorn.report.timeline.lanes_data import lanes_data
from pronghorn.report.timeline.pair import RULE, NoPair, Pair, pair
from pronghorn.report.timeline.thinned import STEPS
from pronghorn.report.waterfall.axis import Axis, Tick, axis

MOST_LANES = 40
"""The most streams of a load that are drawn: those that waited longest in either load, then the largest."""


@dataclass(frozen=True)
class Panel:
    """One load as the template shows it: `names` and `figures` are lines, the first about what was
    dropped."""

    protocol: str
    arm: str
    place: int
    about: str
    names: list[str]
    figures: list[str]
    drawing: str


@dataclass(frozen=True)
class Timeline:
    """Two panels with their axis, whose end is `end_s`, in `steps` for a slider; or why there are none."""

    about: str
    panels: list[Panel]
    ticks: list[Tick]
    unit: str
    end_s: float
    data: ChartData | None
    steps: int = STEPS
    heading: str = lines.HEADING
    heading_at_a_time: str = lines.HEADING_AT_A_TIME


class _Load(NamedTuple):
    protocol: str
    trial: Trial
    lanes: list[Lane]
    drops: list[Drop]

    @property
    def end_s(self) -> float:
        """When all was there."""
        return max([self.trial.metrics.load_s or 0.0, *(lane.levels[-1].at_s for lane in self.lanes)])


def timeline(cell: CellSummary, trials: Mapping[str, Sequence[Trial]], run: Path | None) -> Timeline | None:
    """The timeline of a cell out of the run's directory; None where there are no two loads to be compared."""
    if run is None:
        return None
    try:
        found = pair(trials)
        if found is None:
            return None
        loads = [_load("h2", found.h2, run), _load("h3", found.h3, run)]
    except NoPair as reason:
        return _without(str(reason))
    except Unreadable as fault:
        return _without(f"No head-of-line timeline: {fault}.")
    scale = axis([load.end_s for load in loads])
    shown, most = _shown(loads)
    panels = [
        _panel(load, some, list(trials).index(load.trial.arm), scale)
        for load, some in zip(loads, shown, strict=True)
    ]
    told = [(load.protocol, load.trial.arm, some) for load, some in zip(loads, shown, strict=True)]
    return Timeline(
        about=_about(found, drawn=sum(map(len, shown)), streams=most),
        panels=panels,
        ticks=[Tick(scale.label(at), round(100 * at / scale.end_s, 1)) for at in scale.ticks_s],
        unit=scale.unit.symbol,
        end_s=scale.end_s,
        data=lanes_data(cell.title, told, scale),
    )


def _without(reason: str) -> Timeline:
    return Timeline(about=reason, panels=[], ticks=[], unit="", end_s=0.0, data=None)


def _load(protocol: str, trial: Trial, run: Path) -> _Load:
    found, offset_s = of_load(run, trial)
    if found.missing_records:
        raise Unreadable(
            f"{found.missing_records} packets of {trial.arm}'s load in block {trial.block} were not recorded"
        )
    drawn = lanes(found, offset_s)
    if not drawn:
        reasons = [one.why_not for one in found.connections if one.why_not]
        raise Unreadable(
            f"no stream of {trial.arm}'s load in block {trial.block} could be read"
            + (f": {reasons[0]}" if reasons else "")
        )
    return _Load(protocol, trial, drawn, drops(found, offset_s))


def _shown(loads: Sequence[_Load]) -> tuple[list[list[Lane]], int]:
    """Of each load the lanes that are drawn, the same resources in the first one's order, and how many there
    are in all."""
    weights: dict[str, tuple[float, int]] = {}
    for load in loads:
        for lane in load.lanes:
            before = weights.get(lane.path, (0.0, 0))
            weights[lane.path] = max(before, (lane.others_s + lane.own_s, lane.size))
    ranked = sorted(weights, key=lambda path: weights[path], reverse=True)[:MOST_LANES]
    order = {path: place for place, path in enumerate(weights) if path in ranked}
    found = [
        sorted((lane for lane in load.lanes if lane.path in order), key=lambda lane: order[lane.path])[
            :MOST_LANES
        ]
        for load in loads
    ]
    return found, sum(len(load.lanes) for load in loads)


def _panel(load: _Load, shown: Sequence[Lane], place: int, scale: Axis) -> Panel:
    about = _of_load(load)
    return Panel(
        protocol=load.protocol,
        arm=load.trial.arm,
        place=place,
        about=about,
        names=["dropped", *(lines.name(lane.path) for lane in shown)],
        figures=[lines.dropped(load.drops), *map(lines.figures, shown)],
        drawing=drawing(
            shown,
            load.drops,
            load.trial.metrics.load_s,
            scale,
            f"Bytes of {load.trial.arm}'s streams over time, {about}. The lines after it describe "
            "each stream.",
        ),
    )


def _of_load(load: _Load) -> str:
    loaded_s = load.trial.metrics.load_s
    return " · ".join(
        [
            *([f"load {seconds(loaded_s)}"] if loaded_s is not None else []),
            f"{count(len(load.drops), 'packet')} dropped",
            _waited("bytes of others", [(lane.others_s, lane.others_byte_s) for lane in load.lanes]),
            _waited("earlier bytes of their own", [(lane.own_s, lane.own_byte_s) for lane in load.lanes]),
        ]
    )


def _waited(what: str, figures: Sequence[tuple[float, float]]) -> str:
    """How many streams waited for bytes, how long, and how much times how long."""
    held = [(time_s, byte_s) for time_s, byte_s in figures if time_s > 0]
    said = f"{count(len(held), 'stream')} waited for {what}"
    if not held:
        return said
    total_s, total_byte_s = (sum(figure) for figure in zip(*held, strict=True))
    return f"{said}, {seconds(total_s)} over all, {total_byte_s / 1000:.3g} kB·s"


def _about(found: Pair, *, drawn: int, streams: int) -> str:
    said = (
        f"{RULE}: block {found.h2.block}, {found.h3.arm}/{found.h2.arm} {ratio(found.ratio)}; the median of "
        f"{count(found.blocks, 'such block')} is {ratio(found.typical)}."
    )
    if drawn < streams:
        said += (
            f" {drawn} of {streams} streams are drawn: those of the resources that waited longest in "
            "either load, then of the largest."
        )
    return said
