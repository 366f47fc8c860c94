"""A cell's flights: a panel a quantity, all arms in each, all panels on one time axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pronghorn.analysis.numbers import count, seconds
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report.chart_data import ChartData
from pronghorn.report.flights import drawing, scales
from pronghorn.report.flights.curves import Curve, Flown, Quantity, flown
from pronghorn.report.flights.curves_data import curves_data
from pronghorn.report.flights.drawing import Lane, Line
from pronghorn.report.flights.scales import Scale
from pronghorn.report.violins import COLOURS
from pronghorn.report.waterfall.axis import Axis, Tick, axis
from pronghorn.report.waterfall.chosen import chosen
from pronghorn.runs.flight import Unreadable, flight_of, has_flight

TITLES: dict[Quantity, str] = {
    "cwnd_bytes": "Congestion window",
    "in_flight_bytes": "In flight",
    "srtt_s": "Smoothed round-trip time",
    "acked_bytes": "Acknowledged",
}
LOSSES = "Losses and timeouts"


@dataclass(frozen=True)
class Panel:
    """One quantity of all arms; without a unit the panel has lanes, whose names are the ticks."""

    title: str
    unit: str | None
    ticks: list[Tick]
    drawing: str


@dataclass(frozen=True)
class ArmFlight:
    """What the template says of an arm; `place` is the arm's among the cell's."""

    arm: str
    place: int
    about: str


@dataclass(frozen=True)
class Flights:
    """A cell's panels with their axis; `faults` say of which arms there is nothing to show, and why. `thin`:
    whether any arm had several connections."""

    arms: list[ArmFlight]
    panels: list[Panel]
    ticks: list[Tick]
    unit: str
    thin: bool
    faults: list[str]
    data: ChartData | None


class _Shown(NamedTuple):
    arm: str
    place: int
    trial: Trial
    end_s: float
    flown: Flown

    @property
    def colour(self) -> str:
        return f"var(--arm-{self.place % COLOURS})"


def flights(cell: CellSummary, trials: Mapping[str, Sequence[Trial]], run: Path | None) -> Flights | None:
    """The flights of a cell, of each arm that of the trial nearest to its median, out of the run's directory;
    None where no trial left any, or there is no directory."""
    if run is None or not any(has_flight(trial) for mine in trials.values() for trial in mine):
        return None
    shown: list[_Shown] = []
    faults: list[str] = []
    for place, (arm, mine) in enumerate(trials.items()):
        try:
            shown.append(_shown(arm, place, mine, cell.arms[arm].median, run))
        except Unreadable as fault:
            faults.append(f"{arm}: {fault}.")
    scale = axis([one.end_s for one in shown])
    return Flights(
        arms=[ArmFlight(one.arm, one.place, _about(one)) for one in shown],
        panels=[*(_panel(name, shown, scale) for name in TITLES), _losses(shown, scale)] if shown else [],
        ticks=[Tick(scale.label(at), _percent(at / scale.end_s)) for at in scale.ticks_s],
        unit=scale.unit.symbol,
        thin=any(len(one.flown.connections) > 1 for one in shown),
        faults=faults,
        data=curves_data(cell.title, {one.arm: one.flown for one in shown}) if shown else None,
    )


def _shown(arm: str, place: int, trials: Sequence[Trial], median_s: float | None, run: Path) -> _Shown:
    trial = chosen([one for one in trials if has_flight(one)], median_s)
    if trial is None or trial.page is None:
        raise Unreadable("no trial that could represent it has a flight")
    flight = flight_of(run, trial)
    started_s = trial.page.started_monotonic_s
    if started_s is None:
        raise Unreadable("its client doesn't report when the load began on the flight's clock")
    last_s = max((at for one in flight.connections for at in one.samples.at_s), default=0.0)
    end_s = trial.page.load_s
    if end_s is None:
        end_s = max(0.0, flight.clock_base_monotonic_s + last_s - started_s)
    found = flown(flight, started_s, end_s)
    if not any(found.total.values()):
        raise Unreadable(
            "nothing was recorded of its server's connections; of QUIC stacks, only the built-in "
            "origin's reports them"
        )
    return _Shown(arm, place, trial, end_s, found)


def _panel(name: Quantity, shown: Sequence[_Shown], x: Axis) -> Panel:
    values = [value for one in shown for curve in _drawn(one, name) for _, value in curve]
    y = scales.times(values) if name == "srtt_s" else scales.sizes(values)
    lines = []
    for one in shown:
        if len(one.flown.connections) > 1:
            lines += [Line(curve, one.colour, one.end_s, thin=True) for curve in one.flown.curves[name]]
        lines.append(Line(one.flown.total[name], one.colour, one.end_s))
    said = "; ".join(f"{one.arm}: {_course(one.flown.total[name], name)}" for one in shown)
    title = TITLES[name]
    return Panel(
        title=title,
        unit=y.symbol,
        ticks=_levels(y),
        drawing=drawing.curves(lines, x, y, f"{title} since the load's start. {said}."),
    )


def _drawn(one: _Shown, name: Quantity) -> list[Curve]:
    return [one.flown.total[name], *one.flown.curves[name]]


def _levels(y: Scale) -> list[Tick]:
    return [Tick(y.label(tick), _percent(1 - tick / y.end)) for tick in y.ticks]


def _losses(shown: Sequence[_Shown], x: Axis) -> Panel:
    arms = [Lane(one.flown.lost, one.flown.timeouts, one.colour, one.end_s) for one in shown]
    said = "; ".join(f"{one.arm}: {_lost(one)}" for one in shown)
    return Panel(
        title=LOSSES,
        unit=None,
        ticks=[Tick(one.arm, _percent((number + 0.5) / len(shown))) for number, one in enumerate(shown)],
        drawing=drawing.lanes(arms, x, f"{LOSSES} since the load's start. {said}."),
    )


def _course(curve: Curve, name: Quantity) -> str:
    """A curve in words."""
    if not curve:
        return "not told"
    show = seconds if name == "srtt_s" else scales.size
    values = [value for _, value in curve]
    ends, bounds = (values[0], values[-1]), (min(values), max(values))
    return f"from {' to '.join(map(show, ends))}, between {' and '.join(map(show, bounds))}"


def _about(one: _Shown) -> str:
    trial, found = one.trial, one.flown
    parts = [f"block {trial.block}" + (f", attempt {trial.attempt}" if trial.attempt else "")]
    parts.append(f"load {seconds(trial.metrics.load_s)}" if trial.metrics.load_s is not None else "failed")
    stacks = sorted({f"{each.congestion_control or 'unknown'} of {each.stack}" for each in found.connections})
    parts.append(f"{count(len(found.connections), 'connection')}: {', '.join(stacks)}")
    windows = [value for _, value in found.total["cwnd_bytes"]]
    times = [value for _, value in found.total["srtt_s"]]
    if windows:
        parts.append(f"largest window {scales.size(max(windows))}")
    if times:
        parts.append(f"smoothed RTT {seconds(min(times))} to {seconds(max(times))}")
    parts += _packets(found)
    parts.append(_lost(one))
    return " · ".join(parts)


def _packets(found: Flown) -> Iterator[str]:
    """How large packets may be, and how often the path was found to swallow large ones."""
    sizes = {value for curve in found.mss for _, value in curve}
    if sizes:
        kind = "UDP payloads" if _is_quic(found) else "segments"
        said = " to ".join(str(round(size)) for size in sorted({min(sizes), max(sizes)}))
        yield f"{kind} of at most {said} bytes"
    if holes := sum(each.black_holes or 0 for each in found.connections):
        yield count(holes, "MTU black hole")


def _lost(one: _Shown) -> str:
    found = one.flown
    lost = sum(mark.number for mark in found.lost)
    timeouts = sum(mark.number for mark in found.timeouts)
    said = (
        f"{count(lost, 'packet')} declared lost"
        if _is_quic(found)
        else f"{count(lost, 'segment')} sent again"
    )
    return f"{said}, {count(timeouts, 'timeout')}" if _tells_timeouts(found) else said


def _is_quic(found: Flown) -> bool:
    return any(each.transport == "quic" for each in found.connections)


def _tells_timeouts(found: Flown) -> bool:
    return any(value is not None for each in found.connections for value in each.samples.timeouts)


def _percent(fraction: float) -> float:
    return round(100 * fraction, 1)
