"""The strokes of which charts over a time axis are made: SVG that is the same for the same data.

Colours are the stylesheet's custom properties, so that one drawing serves light and dark. Nothing has an id,
so that many drawings share a page.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.foreign import escape
from pronghorn.report.time_scale import TimeScale

TICK_PX = 62
"""The space that a tick of a time axis needs."""

CHARACTER_PX = 8.0
"""How wide a character of a label is in the wider of the fonts that a page may have."""

AXIS_PX = 40
"""The height of an axis with its numbers and its caption."""


class Frame(NamedTuple):
    """The plotted rectangle of a drawing, in pixels, and the time axis along it."""

    left: float
    top: float
    width: float
    height: float
    scale: TimeScale

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    @property
    def ticks_s(self) -> list[float]:
        """The axis' ticks, as many as have room."""
        return self.scale.ticks_s(max(2, int(self.width // TICK_PX)))

    def x(self, at_s: float) -> float:
        """Where a time lies."""
        return self.left + self.width * self.scale.place(at_s)

    def xs(self, times_s: Sequence[float]) -> list[float]:
        """Where many times lie."""
        return [self.left + self.width * place for place in self.scale.places(times_s)]


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{round(value, 1) + 0.0:g}"


def text(
    x: float,
    y: float,
    said: str,
    *,
    anchor: str = "start",
    size: int = 12,
    colour: str = "var(--soft)",
    bold: bool = False,
    halo: bool = False,
) -> str:
    """A line of text whose baseline is at `y`; with a halo it can be read on what is drawn beneath."""
    strong = ' font-weight="600"' if bold else ""
    if halo:
        strong += ' stroke="var(--card)" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}"{strong}>{escape(said)}</text>'
    )


def path(drawn: str, **attributes: str | float) -> str:
    """A path, an open line unless `fill` is named; attributes' underscores are hyphens. Nothing where nothing
    is drawn."""
    if not drawn:
        return ""
    told = {"fill": "none", **attributes, "d": drawn}
    return f"<path {' '.join(map(_attribute, told, told.values()))}/>"


def shortened(label: str, room_px: float) -> str:
    """A label that fits into so many pixels, its end cut off where it is too long."""
    most = max(4, int(room_px / CHARACTER_PX))
    return label if len(label) <= most else f"{label[: most - 1]}…"


def margin(labels: Sequence[str], width: int) -> float:
    """The room left of a drawing of this width for its labels: at most a third of a wide one."""
    longest = max((len(label) for label in labels), default=0)
    return min(longest * CHARACTER_PX + 14, max(120, width // 3))


def grid(frame: Frame) -> str:
    """Lines through a frame at the ticks."""
    lines = (f"M{number(frame.x(tick))} {number(frame.top)}v{number(frame.height)}" for tick in frame.ticks_s)
    return path("".join(lines), stroke="var(--grid)")


def time_axis(frame: Frame, what: str) -> list[str]:
    """The axis beneath a frame; `what` names the times."""
    scale = frame.scale
    base = f"M{number(frame.left)} {number(frame.bottom)}h{number(frame.width)}"
    return [
        path(base, stroke="var(--axis)"),
        *(
            text(frame.x(tick), frame.bottom + 16, scale.label(tick), anchor="middle")
            for tick in frame.ticks_s
        ),
        text(frame.left + frame.width / 2, frame.bottom + 34, scale.caption(what), anchor="middle"),
    ]


def document(width: int, height: float, parts: Sequence[str]) -> str:
    """The drawing."""
    tall = number(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" '
        f'viewBox="0 0 {width} {tall}">{"".join(parts)}</svg>'
    )


def _attribute(name: str, value: str | float) -> str:
    return f'{name.replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
