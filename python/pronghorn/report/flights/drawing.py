"""A flight's panels as SVG: curves that go in steps, since a value holds until it is seen to change.

A drawing's units are fractions of the axes, and the page stretches it to its width: one drawing is for
windows and telephones. Lines keep their strength."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pronghorn.foreign import escape
from pronghorn.report.flights.curves import Curve, Mark
from pronghorn.report.flights.scales import Scale
from pronghorn.report.waterfall.axis import Axis

WIDTH, HEIGHT = 500, 100
LANE = 20
"""The height of an arm's lane of marks."""


class Line(NamedTuple):
    """A curve in an arm's colour (a custom property of the stylesheet) which ends at `end_s`; `thin` where it
    is of one connection among several."""

    curve: Curve
    colour: str
    end_s: float
    thin: bool = False


class Lane(NamedTuple):
    """An arm's marks, in its colour, beside a line that ends with its load."""

    lost: Sequence[Mark]
    timeouts: Sequence[Mark]
    colour: str
    end_s: float


def curves(lines: Sequence[Line], x: Axis, y: Scale, label: str) -> str:
    """The drawing of a panel, thin lines behind; `label` says what is shown to those who don't see it."""
    ticks = "".join(f"M{x.place(tick, WIDTH)} 0v{HEIGHT}" for tick in x.ticks_s)
    levels = "".join(f"M0 {y.place(tick, HEIGHT)}h{WIDTH}" for tick in y.ticks)
    parts = [_path("grid", None, ticks + levels)]
    parts += [
        _path("thin" if line.thin else "", line.colour, steps(line.curve, x, y, line.end_s))
        for line in sorted(lines, key=lambda line: not line.thin)
    ]
    return _svg("curves", HEIGHT, parts, label)


def lanes(arms: Sequence[Lane], x: Axis, label: str) -> str:
    """The drawing of what was lost, a lane an arm: a short mark for losses, one through the whole lane for
    timeouts."""
    height = LANE * len(arms)
    parts = [_path("grid", None, "".join(f"M{x.place(tick, WIDTH)} 0v{height}" for tick in x.ticks_s))]
    for number, arm in enumerate(arms):
        middle = LANE * number + LANE // 2
        parts.append(_path("thin", arm.colour, f"M0 {middle}H{x.place(arm.end_s, WIDTH)}"))
        for name, marks, reach in (("", arm.lost, LANE // 4), ("timeouts", arm.timeouts, LANE // 2)):
            places = sorted({x.place(mark.at_s, WIDTH) for mark in marks})
            drawn = "".join(f"M{place} {middle - reach}v{2 * reach}" for place in places)
            parts.append(_path(name, arm.colour, drawn))
    return _svg("lanes", height, parts, label)


def steps(curve: Curve, x: Axis, y: Scale, end_s: float) -> str:
    """A curve's path. Of all that happens within one step of the width, the lowest, the highest and the last
    level are drawn."""
    drawn = ""
    now: int | None = None
    for column, places in groupby(_places(curve, x, y), key=lambda place: place[0]):
        levels = list(_outline([level for _, level in places], now))
        if not levels:
            continue
        drawn += f"M{column} {levels[0]}" if now is None else f"H{column}"
        drawn += "".join(f"V{level}" for level in levels[now is None :])
        now = levels[-1]
    return drawn + (f"H{x.place(end_s, WIDTH)}" if drawn else "")


def _places(curve: Curve, x: Axis, y: Scale) -> Iterator[tuple[int, int]]:
    for at_s, value in curve:
        yield x.place(at_s, WIDTH), y.place(value, HEIGHT)


def _outline(levels: list[int], now: int | None) -> Iterator[int]:
    """The levels to be drawn in a column which is entered at the level `now`, each other than the one before
    it."""
    for level in (min(levels), max(levels), levels[-1]) if len(levels) > 3 else levels:
        if level != now:
            yield level
            now = level


def _path(name: str, colour: str | None, drawn: str) -> str:
    if not drawn:
        return ""
    attributes = (f' class="{name}"' if name else "") + (f' stroke="{colour}"' if colour else "")
    return f'<path{attributes} d="{drawn}"/>'


def _svg(name: str, height: int, parts: Sequence[str], label: str) -> str:
    return (
        f'<svg class="{name}" role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {height}" '
        f'preserveAspectRatio="none" style="height:{1.2 * height:g}px">{"".join(parts)}</svg>'
    )
