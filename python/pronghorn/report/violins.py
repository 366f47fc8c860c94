"""Violins of load times: a lane an arm, with the trials as points, the median, and the quartiles."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.model.summary import CellSummary
from pronghorn.report import canvas
from pronghorn.report.canvas import Frame, number, path, text
from pronghorn.report.density import jitter, outline
from pronghorn.report.ranks import ranked
from pronghorn.report.time_scale import TimeScale, time_scale

LANE_PX = 64
COLOURS = 8
"""The number of arm colours in the stylesheet; more arms start over."""

MOST_POINTS = 300
"""The most trials of an arm that are drawn as points, evenly chosen among the sorted ones."""

_HEADING_PX = 26
_LOW_REACH = 20
"""Half of a violin's height, in pixels, beneath which a lane has no room above for a value."""

_FAILED_PX = 76
"""The room right of the axis for crosses and how many they are, where trials failed."""


class Lane(NamedTuple):
    """One arm: its times in seconds, None for a failed trial; `heading` is written above its lane."""

    label: str
    colour: str
    times: Sequence[float | None]
    median_s: float | None
    heading: str | None = None

    @property
    def ended(self) -> list[float]:
        """The times of the trials that succeeded."""
        return [time for time in self.times if time is not None]

    @property
    def failed(self) -> int:
        """How many didn't."""
        return len(self.times) - len(self.ended)


def colour(place: int) -> str:
    """The colour of the arm at this place among the cell's."""
    return f"var(--arm-{place % COLOURS})"


def violins(cell: CellSummary, times: Mapping[str, Sequence[float | None]], width: int) -> str | None:
    """A cell's violins on an axis of their own; None where no trial ended.

    `times` holds each arm's load times in seconds, None for a failed trial; those stand as crosses right of
    the axis.
    """
    lanes = [
        Lane(arm, colour(place), loads, cell.arms[arm].median)
        for place, (arm, loads) in enumerate(times.items())
    ]
    ended = [time for lane in lanes for time in lane.ended]
    return draw(lanes, time_scale(ended), width) if ended else None


def draw(lanes: Sequence[Lane], scale: TimeScale, width: int, *, lane_px: int = LANE_PX) -> str:
    """The lanes one beneath the other over one axis."""
    headings = sum(1 for lane in lanes if lane.heading is not None)
    height = lane_px * len(lanes) + _HEADING_PX * headings
    left = canvas.margin([lane.label for lane in lanes], width)
    spare = _FAILED_PX if any(lane.failed for lane in lanes) else 12
    frame = Frame(left, 6, width - left - spare, height, scale)
    parts = canvas.time_axis(frame, "load time")
    y = frame.top
    for lane in lanes:
        if lane.heading is not None:
            parts.append(text(0, y + 18, lane.heading, size=13, colour="var(--ink)", bold=True))
            y += _HEADING_PX
        parts.append(canvas.grid(frame._replace(top=y, height=lane_px)))
        parts += _lane(lane, frame, y + lane_px / 2, lane_px)
        y += lane_px
    return canvas.document(width, frame.bottom + canvas.AXIS_PX, parts)


def _lane(lane: Lane, frame: Frame, middle: float, lane_px: int) -> list[str]:
    label = canvas.shortened(lane.label, frame.left - 14)
    reach = 0.36 * lane_px
    return [
        text(frame.left - 10, middle + 4, label, anchor="end", size=13),
        path(
            _shape(lane, frame, middle, reach),
            fill=lane.colour,
            fill_opacity="0.22",
            stroke=lane.colour,
            stroke_opacity="0.7",
        ),
        path(
            _points(lane, frame, middle, reach),
            stroke=lane.colour,
            stroke_width=max(3.0, lane_px / 12),
            stroke_linecap="round",
            stroke_opacity="0.75",
        ),
        path(_quartiles(lane, frame, middle, 0.6 * reach), stroke="var(--ink)", stroke_width=1.2),
        *_median(lane, frame, middle, reach),
        *_failures(lane, frame, middle),
    ]


def _shape(lane: Lane, frame: Frame, middle: float, reach: float) -> str:
    curve = [
        (frame.x(time), reach * density)
        for time, density in outline(lane.ended, logarithmic=frame.scale.logarithmic)
    ]
    edge = [(x, middle - away) for x, away in curve] + [(x, middle + away) for x, away in reversed(curve)]
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in edge) + "z" if edge else ""


def _points(lane: Lane, frame: Frame, middle: float, reach: float) -> str:
    """Dots are lines without a length, whose round ends are seen."""
    shown = thinned(lane.ended)
    return "".join(
        f"M{number(frame.x(time))} {number(middle + 0.8 * reach * offset)}h0"
        for time, offset in zip(shown, jitter(len(shown)), strict=True)
    )


def thinned(times: Sequence[float]) -> list[float]:
    """The times that are drawn as points: all in their order, or of many as many evenly among the sorted
    ones, the extremes with them."""
    if len(times) <= MOST_POINTS:
        return list(times)
    ordered = sorted(times)
    return [ordered[place * (len(ordered) - 1) // (MOST_POINTS - 1)] for place in range(MOST_POINTS)]


def _quartiles(lane: Lane, frame: Frame, middle: float, reach: float) -> str:
    places = [frame.x(time) for share in (0.25, 0.75) if (time := ranked(lane.times, share)) is not None]
    bars = "".join(f"M{number(x)} {number(middle - reach)}v{number(2 * reach)}" for x in places)
    joined = "".join(f"M{number(begin)} {number(middle)}H{number(end)}" for begin, end in pairwise(places))
    return bars + joined


def _median(lane: Lane, frame: Frame, middle: float, reach: float) -> list[str]:
    if lane.median_s is None:
        return []
    x, top = frame.x(lane.median_s), middle - reach - 1
    return [
        path(
            f"M{number(x)} {number(top)}v{number(2 * reach + 2)}",
            stroke=lane.colour,
            stroke_width=3,
            stroke_linecap="round",
        ),
        _value(lane, lane.median_s, frame, middle, reach),
    ]


def _value(lane: Lane, median_s: float, frame: Frame, middle: float, reach: float) -> str:
    """The median in words: above its bar, in a low lane beside the violin; on it, away from the bar, where
    neither side has room."""
    said = seconds(median_s)
    wide = len(said) * canvas.CHARACTER_PX
    if reach >= _LOW_REACH:
        at = min(max(frame.x(median_s), frame.left + wide / 2), frame.right - wide / 2)
        return text(at, middle - reach - 4, said, anchor="middle", colour="var(--ink)", bold=True)
    after, before = (frame.x(end) for end in (max(lane.ended), min(lane.ended)))
    if after + 8 + wide <= frame.right:
        return text(after + 8, middle + 4, said, anchor="start", colour="var(--ink)", bold=True)
    if before - 8 - wide >= frame.left:
        return text(before - 8, middle + 4, said, anchor="end", colour="var(--ink)", bold=True)
    left_of_bar = frame.x(median_s) - frame.left > frame.width / 2
    at, anchor = (frame.left, "start") if left_of_bar else (frame.right, "end")
    return text(at, middle + 4, said, anchor=anchor, colour="var(--ink)", bold=True, halo=True)


def _failures(lane: Lane, frame: Frame, middle: float) -> list[str]:
    if not lane.failed:
        return []
    x = number(frame.right + 10)
    return [
        path(f"M{x} {number(middle - 4)}l8 8m0 -8l-8 8", stroke="var(--bad)", stroke_width=2),
        text(frame.right + 23, middle + 4, f"{lane.failed} failed", colour="var(--bad)", bold=True),
    ]
