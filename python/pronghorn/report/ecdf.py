"""Empirical distributions of load times: which share of the loads was done within a time."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from pronghorn.report import canvas
from pronghorn.report.canvas import Frame, number, path, text
from pronghorn.report.time_scale import TimeScale

STRIP_PX = 190
"""The height of a cell's curves on their own."""

_DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""The line styles that distinguish arms besides colours; more arms start over."""

_KEY_PX, _TITLE_PX, _GAP_PX = 20, 28, 10
_LEVELS_PX = 44.0
"""The room left of the curves for their levels' names."""


class Curve(NamedTuple):
    """One arm: its times in seconds, None for a failed trial, which counts as never done."""

    arm: str
    colour: str
    times: Sequence[float | None]


class Strip(NamedTuple):
    """A cell's curves; `title` is written above them where it is told."""

    title: str | None
    curves: Sequence[Curve]


def ecdf(strips: Sequence[Strip], scale: TimeScale, width: int, *, strip_px: int = STRIP_PX) -> str:
    """The strips one beneath the other over one axis, each from none to all of the loads.

    A curve whose arm had failed trials stays below the top.
    """
    parts, y = _key(strips[0].curves, _LEVELS_PX, width)
    frame = Frame(_LEVELS_PX, y, width - _LEVELS_PX - 12, 0, scale)
    for strip in strips:
        y = frame.bottom + _GAP_PX
        if strip.title is not None:
            y += _TITLE_PX
            parts.append(text(0, y - 12, strip.title, size=13, colour="var(--ink)", bold=True))
        frame = frame._replace(top=y, height=strip_px)
        parts += [canvas.grid(frame), *_levels(frame)]
        parts += [
            path(steps(curve.times, frame), stroke=curve.colour, stroke_width=1.8, **_dashed(place))
            for place, curve in enumerate(strip.curves)
        ]
    parts += canvas.time_axis(frame, "done within: load time")
    return canvas.document(width, frame.bottom + canvas.AXIS_PX, parts)


def steps(times: Sequence[float | None], frame: Frame) -> str:
    """The path of a curve; what happens within half a pixel is one step."""
    if not times:
        return ""
    ended = [time for time in times if time is not None]
    columns = Counter(round(2 * x) / 2 for x in frame.xs(ended))
    places = sorted(columns)
    done = accumulate(columns[place] for place in places)
    drawn = "".join(
        f"H{number(place)}V{number(frame.bottom - frame.height * number_done / len(times))}"
        for place, number_done in zip(places, done, strict=True)
    )
    return f"M{number(frame.left)} {number(frame.bottom)}{drawn}H{number(frame.right)}"


def _levels(frame: Frame) -> list[str]:
    shares = (0.0, 0.5, 1.0) if frame.height < STRIP_PX / 2 else (0.0, 0.25, 0.5, 0.75, 1.0)
    heights = {share: frame.bottom - frame.height * share for share in shares}
    lines = "".join(f"M{number(frame.left)} {number(y)}h{number(frame.width)}" for y in heights.values())
    return [
        path(lines, stroke="var(--grid)"),
        *(
            text(frame.left - 6, y + 4, f"{100 * share:g} %", anchor="end", size=11)
            for share, y in heights.items()
        ),
    ]


def _key(curves: Sequence[Curve], left: float, width: int) -> tuple[list[str], float]:
    """The arms' names beside samples of their lines, and the height which they take."""
    parts: list[str] = []
    x, y = left, 14.0
    for place, curve in enumerate(curves):
        label = canvas.shortened(curve.arm, width - left - 40)
        wide = 30 + len(label) * canvas.CHARACTER_PX + 14
        if x > left and x + wide > width:
            x, y = left, y + _KEY_PX
        sample = f"M{number(x)} {number(y - 4)}h24"
        parts.append(path(sample, stroke=curve.colour, stroke_width=2.4, **_dashed(place)))
        parts.append(text(x + 30, y, label))
        x += wide
    return parts, y


def _dashed(place: int) -> dict[str, str | float]:
    dash = _DASHES[place % len(_DASHES)]
    return {"stroke_dasharray": dash} if dash else {}
