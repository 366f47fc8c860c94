"""Ladders as SVG: an arm's client and server as two lines down which time runs, its packets between them as
they travelled. What they say stands beside, each line led to its packet's end at the server."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.report.canvas import document, number, path, text
from pronghorn.report.ladder.labels import LINE_PX, Label, height_px, labels
from pronghorn.report.ladder.rungs import Ladder, Phase, Rung
from pronghorn.report.ladder.scale import Down, down
from pronghorn.report.violins import colour

WIDTH = 776
"""The width of two or three arms, in pixels; more have each as much as one of three."""

HEIGHT = 440
"""The least height of the time axis, in pixels."""

_AXIS_PX, _HEAD_PX, _FOOT_PX = 50, 40, 10
_BRACKET_PX, _GAP_PX = 36, 14
_CHARACTER_PX, _SIZE = 5.7, 11
_BARB_PX, _CROSS_PX = 6, 4
_OFF_AXIS = math.radians(24)


class Column(NamedTuple):
    """An arm's ladder, and the arm's place among the cell's."""

    arm: str
    place: int
    ladder: Ladder


class _Places(NamedTuple):
    """Where a column's parts stand, in pixels from the left."""

    left: float
    client: float
    server: float
    label: float
    room: int


def drawing(columns: Sequence[Column], height: float = HEIGHT) -> str:
    """The drawing of all columns on one axis, at least `height` pixels of it."""
    width = (max(WIDTH, _AXIS_PX + 242 * len(columns)) - _AXIS_PX) / max(2, len(columns))
    begins = [column.ladder.begin_s for column in columns]
    axis = down(begins, [column.ladder.end_s for column in columns], _HEAD_PX, height)
    placed = [_places(_AXIS_PX + width * order, width) for order in range(len(columns))]
    told = [_labels(column.ladder, place, axis) for column, place in zip(columns, placed, strict=True)]
    most = max(height_px(found) for found in told)
    if most > height:
        return drawing(columns, most)
    right = placed[-1].left + width
    parts = list(_axis(axis, right))
    for column, place, found in zip(columns, placed, told, strict=True):
        parts += _column(column, place, axis, found)
    return document(round(right), axis.bottom_px + _FOOT_PX, parts)


def at_server_s(rung: Rung, way_s: float) -> float:
    """When a packet passed the server's line; one that never came there ends on half of the way."""
    if not rung.up:
        return rung.sent_s
    return rung.sent_s + way_s / 2 if rung.arrived_s is None else rung.arrived_s


def _places(left: float, width: float) -> _Places:
    client = left + _BRACKET_PX
    server = client + min(max(0.24 * width, 56), 120)
    label = server + _GAP_PX
    return _Places(left, client, server, label, int((left + width - 6 - label) / _CHARACTER_PX))


def _labels(ladder: Ladder, place: _Places, axis: Down) -> list[Label]:
    def at_px(rung: Rung) -> float:
        return axis.y(at_server_s(rung, ladder.way_s))

    return labels(ladder.rungs, at_px, place.room, axis.top_px, axis.bottom_px)


def _axis(axis: Down, right: float) -> Iterator[str]:
    lines = (f"M{_AXIS_PX} {number(axis.y(tick))}H{number(right)}" for tick in axis.ticks_s)
    yield path("".join(lines), stroke="var(--grid)")
    for tick in axis.ticks_s:
        yield text(_AXIS_PX - 6, axis.y(tick) + 4, axis.label(tick), anchor="end", size=_SIZE)


def _column(column: Column, place: _Places, axis: Down, found: Sequence[Label]) -> Iterator[str]:
    ladder, ink = column.ladder, colour(column.place)
    yield path(f"M{number(place.left + 8)} 9h0", stroke=ink, stroke_width=10, stroke_linecap="round")
    yield text(place.left + 18, 14, column.arm, size=14, colour="var(--ink)", bold=True)
    for x, said in ((place.client, "client"), (place.server, "server")):
        yield text(x, _HEAD_PX - 8, said, anchor="middle", size=_SIZE)
        yield path(f"M{number(x)} {number(axis.top_px)}V{number(axis.bottom_px)}", stroke="var(--axis)")
    for far, phase in _apart(ladder.phases):
        yield from _bracket(phase, place.client - (24 if far else 9), axis)
    there = [rung for rung in ladder.rungs if rung.arrived_s is not None]
    gone = [rung for rung in ladder.rungs if rung.arrived_s is None]
    for again, dashes in ((False, {}), (True, {"stroke_dasharray": "4 3"})):
        mine = [rung for rung in there if rung.again == again]
        yield path(
            "".join(_arrow(rung, place, axis) for rung in mine), stroke=ink, stroke_width=1.4, **dashes
        )
    lost = "".join(_stub(rung, ladder.way_s, place, axis) for rung in gone)
    yield path(lost, stroke="var(--bad)", stroke_width=1.8)
    for label in found:
        yield from _label(label, place)


def _apart(phases: Iterable[Phase]) -> Iterator[tuple[bool, Phase]]:
    """The phases, each with whether it must stand apart since it runs beside one before it."""
    over_s = -math.inf
    for phase in phases:
        yield phase.from_s < over_s - 1e-6, phase
        over_s = max(over_s, phase.to_s)


def _bracket(phase: Phase, x: float, axis: Down) -> Iterator[str]:
    top, bottom = axis.y(phase.from_s) + 0.5, axis.y(phase.to_s) - 0.5
    yield path(
        f"M{number(x + 4)} {number(top)}H{number(x)}V{number(bottom)}h4",
        stroke="var(--ink)",
        stroke_width=1.2,
    )
    for said in (f"{phase.name} {seconds(phase.to_s - phase.from_s)}", phase.name):
        if _CHARACTER_PX * len(said) <= bottom - top:
            middle = f"rotate(-90 {number(x - 4)} {number((top + bottom) / 2)})"
            yield text(x - 4, (top + bottom) / 2, said, anchor="middle", size=_SIZE).replace(
                "<text", f'<text transform="{middle}"', 1
            )
            return


def _arrow(rung: Rung, place: _Places, axis: Down) -> str:
    begin, end = _ends(rung.up, place)
    return _line(begin, axis.y(rung.sent_s), end, axis.y(rung.arrived_s or rung.sent_s))


def _line(from_x: float, from_y: float, to_x: float, to_y: float) -> str:
    back = math.atan2(from_y - to_y, from_x - to_x)
    barbs = [
        (to_x + _BARB_PX * math.cos(back + turn), to_y + _BARB_PX * math.sin(back + turn))
        for turn in (-_OFF_AXIS, _OFF_AXIS)
    ]
    tip = " ".join(map(number, (to_x, to_y)))
    ((one_x, one_y), (other_x, other_y)) = barbs
    return (
        f"M{number(from_x)} {number(from_y)}L{tip}M{number(one_x)} {number(one_y)}"
        f"L{tip}L{number(other_x)} {number(other_y)}"
    )


def _stub(rung: Rung, way_s: float, place: _Places, axis: Down) -> str:
    """Half of the way, as long as the others take for it, and a cross."""
    begin, end = _ends(rung.up, place)
    x, y = (begin + end) / 2, axis.y(rung.sent_s + way_s / 2)
    cross = (
        f"M{number(x - _CROSS_PX)} {number(y - _CROSS_PX)}l{2 * _CROSS_PX} {2 * _CROSS_PX}"
        f"m0 {-2 * _CROSS_PX}l{-2 * _CROSS_PX} {2 * _CROSS_PX}"
    )
    return f"M{number(begin)} {number(axis.y(rung.sent_s))}L{number(x)} {number(y)}{cross}"


def _ends(up: bool, place: _Places) -> tuple[float, float]:
    return (place.client, place.server) if up else (place.server, place.client)


def _label(label: Label, place: _Places) -> Iterator[str]:
    lead = f"M{number(place.server + 2)} {number(label.at_px)}L{number(place.label - 3)} "
    yield path(lead + number(label.middle_px), stroke="var(--axis)", stroke_width=0.8)
    top = label.middle_px - height_px([label]) / 2
    ink = "var(--bad)" if label.dropped else "var(--ink)"
    for order, line in enumerate(label.lines):
        yield text(place.label, top + LINE_PX * order + 10, line, size=_SIZE, colour=ink)
