"""Where the time of a cell's loads went: a stacked bar an arm, each part with the number that it has in the
key, so that no colour is needed to tell them apart."""

from collections.abc import Mapping
from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.analysis.parts_words import NAMES
from pronghorn.model.summary import CellSummary
from pronghorn.model.why import PARTS, ArmWhy, Part
from pronghorn.report import canvas
from pronghorn.report.canvas import CHARACTER_PX, Frame, number, path, text
from pronghorn.report.chart_data import ChartData, named
from pronghorn.report.figure import Chart
from pronghorn.report.svg import NARROW, WIDE
from pronghorn.report.time_scale import TimeScale
from pronghorn.report.units import unit_for

_LANE_PX, _BAR_PX = 44, 22
_ROOM = 1.04
"""The axis ends this far beyond the longest bar."""


class Key(NamedTuple):
    """A part in the key: its number, its colour (a custom property of the stylesheet) and its name."""

    number: int
    colour: str
    name: str


class PartsView(NamedTuple):
    """A cell's parts: what they say in sentences, the key of those that are shown, the chart, and the table
    as text: its columns, and by part a row of milliseconds."""

    sentences: tuple[str, ...]
    key: tuple[Key, ...]
    chart: Chart
    arms: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def parts_view(cell: CellSummary) -> PartsView | None:
    """The view of a cell; None where no trial tells of parts."""
    if not cell.why:
        return None
    shown = [part for part in PARTS if any(arm.parts[part] > 0 for arm in cell.why.values())]
    wide, narrow = (_bars(cell.why, width) for width in (WIDE, NARROW))
    return PartsView(
        sentences=tuple(cell.why_words),
        key=tuple(Key(_number(part), _colour(part), NAMES[part]) for part in shown),
        chart=Chart(wide, narrow, _label(cell), _data(cell)),
        arms=tuple(cell.why),
        rows=tuple(_rows(cell.why, shown)),
    )


def _rows(told: Mapping[str, ArmWhy], shown: list[Part]) -> list[tuple[str, tuple[str, ...]]]:
    arms = list(told.values())
    rows = [
        (f"{_number(part)} {NAMES[part]}", tuple(_tenth(arm.parts[part]) for arm in arms)) for part in shown
    ]
    rows.append(("median load", tuple(_tenth(arm.load_s) for arm in arms)))
    if any(arm.stalled_s is not None for arm in arms):
        rows.append(("waited for other streams' bytes", tuple(_tenth(arm.stalled_s) for arm in arms)))
        rows.append(("waited for their own stream's", tuple(_tenth(arm.own_stalled_s) for arm in arms)))
    return rows


def _tenth(time_s: float | None) -> str:
    """Milliseconds to a tenth."""
    return "–" if time_s is None else f"{1000 * time_s:.1f}"


def _bars(told: Mapping[str, ArmWhy], width: int) -> str:
    longest_s = max(max(sum(arm.parts.values()), arm.load_s) for arm in told.values())
    scale = TimeScale(0.0, _ROOM * longest_s or 1.0, False, unit_for([longest_s]))
    left = canvas.margin(list(told), width)
    frame = Frame(left, 6, width - left - 12, _LANE_PX * len(told), scale)
    parts = [canvas.grid(frame), *canvas.time_axis(frame, "medians of parts")]
    for place, (name, arm) in enumerate(told.items()):
        middle = frame.top + _LANE_PX * (place + 0.5)
        label = canvas.shortened(name, left - 14)
        parts.append(text(left - 10, middle + 4, label, anchor="end", size=13))
        parts += _bar(arm, frame, middle - _BAR_PX / 2)
        median = f"M{number(frame.x(arm.load_s))} {number(middle - 17)}v34"
        parts.append(path(median, stroke="var(--ink)", stroke_width=2))
    return canvas.document(width, frame.bottom + canvas.AXIS_PX, parts)


def _bar(arm: ArmWhy, frame: Frame, top: float) -> list[str]:
    drawn: list[str] = []
    from_s = 0.0
    for part in PARTS:
        to_s = from_s + arm.parts[part]
        begin, end = frame.x(from_s), frame.x(to_s)
        from_s = to_s
        if end - begin < 0.1:
            continue
        shape = f"M{number(begin)} {number(top)}H{number(end)}v{_BAR_PX}H{number(begin)}z"
        drawn.append(path(shape, fill=_colour(part), stroke="var(--card)", stroke_width=0.5))
        said = str(_number(part))
        if end - begin > CHARACTER_PX * len(said) + 4:
            middle = (begin + end) / 2
            drawn.append(text(middle, top + 15, said, anchor="middle", colour="var(--card)", bold=True))
    return drawn


def _number(part: Part) -> int:
    return PARTS.index(part) + 1


def _colour(part: Part) -> str:
    return f"var(--part-{part.replace('_', '-')})"


def _label(cell: CellSummary) -> str:
    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{NAMES[part]} {seconds(arm.parts[part])}" for part in PARTS if arm.parts[part] > 0)
        for name, arm in cell.why.items()
    )
    return f"Where the time of loads went on {cell.title}: medians of parts. {told}."


def _data(cell: CellSummary) -> ChartData:
    return ChartData(
        name=named("parts", cell.title),
        about="Medians of the parts of load times in seconds, and of head-of-line waits",
        columns=(
            "arm",
            "n",
            "load_s",
            *(f"{part}_s" for part in PARTS),
            "stalled_s",
            "byte_seconds",
            "own_stalled_s",
            "own_byte_seconds",
        ),
        rows=tuple(
            (
                name,
                arm.n,
                arm.load_s,
                *(arm.parts[part] for part in PARTS),
                arm.stalled_s,
                arm.byte_seconds,
                arm.own_stalled_s,
                arm.own_byte_seconds,
            )
            for name, arm in cell.why.items()
        ),
    )
