"""A load's lanes as SVG. A bar's height is the share of the stream's bytes: filled what could be used,
hatched upright what waited for other streams, hatched level what waited for its own.

The page stretches a drawing to its width; across, its units are steps of the time axis, downwards pixels."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pronghorn.foreign import escape
from pronghorn.report.canvas import number
from pronghorn.report.timeline.lanes import Drop, Lane
from pronghorn.report.timeline.thinned import STEPS, Step, thinned
from pronghorn.report.waterfall.axis import Axis

LANE_PX = 16
"""A lane's height, the line height of the text beside it."""

_BAR_PX = 12
_BASE_PX = 14
_HATCH, _LEVELS = 3, (2, 5, 8, 11)
_SHORTEST = 2
_CROSS = (3, 3.5)
_SMALL_CROSS = (2, 2.5)
"""Half of a mark's width in steps and of its height in pixels, in the top lane and in streams'."""

INKS = {
    "grid": "--grid",
    "asked": "--axis",
    "usable": "--receiving",
    "others": "--bad",
    "own": "--undecided",
    "dropped": "--ink",
    "end": "--ink",
}
"""The parts of the drawing from back to front, each with the stylesheet's colour."""

_STRENGTHS = {"grid": 1.0, "asked": 1.0, "others": 1.4, "own": 1.4, "dropped": 1.5, "end": 1.5}


def drawing(lanes: Sequence[Lane], drops: Sequence[Drop], end_s: float | None, axis: Axis, label: str) -> str:
    """The drawing of one load, which ended at `end_s`: a lane of all that was dropped, to the client crosses,
    to the server plus signs, and one a stream. `label` says what is shown to those who don't see it."""
    height = LANE_PX * (len(lanes) + 1)
    steps = [thinned(lane, axis) for lane in lanes]
    rows = [LANE_PX * (place + 1) + _BASE_PX for place in range(len(lanes))]
    drawn = {
        "grid": "".join(f"M{axis.place(tick, STEPS)} 0v{height}" for tick in axis.ticks_s),
        "asked": "".join(_asked(*each, axis) for each in zip(lanes, steps, rows, strict=True)),
        "usable": "".join(map(_usable, steps, rows)),
        "others": "".join(line for each in zip(steps, rows, strict=True) for line in _others(*each)),
        "own": "".join(line for each in zip(steps, rows, strict=True) for line in _own(*each)),
        "dropped": _dropped(lanes, drops, axis),
        "end": "" if end_s is None else f"M{axis.place(end_s, STEPS)} 0v{height}",
    }
    parts = "".join(_path(name, path) for name, path in drawn.items())
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {STEPS} {height}" '
        f'preserveAspectRatio="none" style="height:{height}px">{parts}</svg>'
    )


def _path(name: str, drawn: str) -> str:
    if not drawn:
        return ""
    ink = f"var({INKS[name]})"
    if name == "usable":
        return f'<path class="{name}" fill="{ink}" d="{drawn}"/>'
    return (
        f'<path class="{name}" fill="none" stroke="{ink}" stroke-width="{_STRENGTHS[name]:g}" '
        f'vector-effect="non-scaling-stroke" d="{drawn}"/>'
    )


def _reach(part: int, lane_size: int) -> int:
    """How high a bar stands for so many bytes; whatever isn't nothing can be seen."""
    return max(1, round(_BAR_PX * part / lane_size)) if part else 0


def _reaches(steps: Sequence[Step]) -> Iterator[tuple[int, int, int, int]]:
    """Of each step its column and how high arrived, ordered and usable bytes stand."""
    size = steps[-1].level.arrived
    for column, level in steps:
        yield column, _reach(level.arrived, size), _reach(level.ordered, size), _reach(level.usable, size)


def _asked(lane: Lane, steps: Sequence[Step], base: int, axis: Axis) -> str:
    """A tick where the request left, and a line until its answer began."""
    if lane.asked_s is None:
        return ""
    begin, end = axis.place(lane.asked_s, STEPS), steps[0].column
    return f"M{begin} {base - _BAR_PX + 2}v{_BAR_PX - 4}m0 {2 - _BAR_PX // 2}H{max(begin, end)}"


def _usable(steps: Sequence[Step], base: int) -> str:
    drawn, now = "", 0
    for column, _, _, usable in _reaches(steps):
        if usable != now:
            drawn += f"H{column}V{base - usable}" if drawn else f"M{column} {base}V{base - usable}"
            now = usable
    return drawn + (f"H{min(steps[-1].column + _SHORTEST, STEPS)}V{base}z" if drawn else "")


def _others(steps: Sequence[Step], base: int) -> Iterator[str]:
    for (column, _, ordered, usable), (until, *_) in pairwise(_reaches(steps)):
        if ordered > usable:
            first = -(-column // _HATCH) * _HATCH
            for place in range(first, until, _HATCH) or (column,):
                yield f"M{place} {base - usable}V{base - ordered}"


def _own(steps: Sequence[Step], base: int) -> Iterator[str]:
    for (column, arrived, ordered, _), (until, *_) in pairwise(_reaches(steps)):
        if arrived > ordered:
            for level in [level for level in _LEVELS if ordered < level <= arrived] or [arrived]:
                yield f"M{column} {base - level}H{until}"


def _dropped(lanes: Sequence[Lane], drops: Sequence[Drop], axis: Axis) -> str:
    places = {(axis.place(drop.sent_s, STEPS), drop.up, 0) for drop in drops}
    for order, lane in enumerate(lanes):
        places |= {(axis.place(sent_s, STEPS), False, order + 1) for sent_s in lane.dropped_s}
    return "".join(_mark(x, row, up=up) for x, up, row in sorted(places))


def _mark(x: int, row: int, *, up: bool) -> str:
    wide, tall = _SMALL_CROSS if row else _CROSS
    y = LANE_PX * (row + 0.5)
    if up:
        return f"M{x - wide} {number(y)}h{2 * wide}M{x} {number(y - tall)}v{number(2 * tall)}"
    left, top = x - wide, number(y - tall)
    return f"M{left} {top}l{2 * wide} {number(2 * tall)}M{x + wide} {top}l{-2 * wide} {number(2 * tall)}"
