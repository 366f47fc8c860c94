"""A cell's timeline as one picture: each load's streams as lines of text, with their bars between them."""

import re
from typing import NamedTuple

from pronghorn.report.canvas import number, path, text
from pronghorn.report.pictures.monospaced import CHARACTER_PX, monospaced
from pronghorn.report.pictures.standalone import origin, sheet
from pronghorn.report.timeline import Panel, Timeline
from pronghorn.report.timeline.drawing import INKS, LANE_PX
from pronghorn.report.timeline.lines import NAME
from pronghorn.report.violins import colour

_GAP_PX = 14
_BARS_PX, _FIGURES = 560, 31
_HEAD_PX, _BETWEEN_PX, _KEY_PX, _LINE_PX = 50, 18, 46, 17
_MOST_CHARACTERS = 150


class _Across(NamedTuple):
    """Where bars begin, where they end and where figures end, in pixels."""

    bars: float
    over: float
    right: float


def picture(title: str, found: Timeline) -> str:
    """The picture of a cell's timeline, which has panels."""
    left, top = origin()
    bars = left + NAME * CHARACTER_PX + _GAP_PX
    across = _Across(bars, bars + _BARS_PX, bars + _BARS_PX + _GAP_PX + _FIGURES * CHARACTER_PX)
    parts = _key(left, top)
    y = top + _KEY_PX
    for panel in found.panels:
        parts += _panel(panel, found, left, y, across)
        y += _HEAD_PX + LANE_PX * len(panel.names) + _BETWEEN_PX
    for line in _wrapped(found.about):
        parts.append(text(left, y, line, size=11))
        y += _LINE_PX
    return sheet(title, across.right - left, y - top, parts)


def _key(left: float, top: float) -> list[str]:
    upright = "".join(f"M{number(left + 72 + 3 * place)} {number(top + 2)}v9" for place in range(5))
    level = "".join(f"M{number(left + 360)} {number(top + 3 + 3 * place)}h14" for place in range(3))
    full = f"M{number(left)} {number(top + 2)}h12v9h-12z"
    return [
        path(full, fill=f"var({INKS['usable']})"),
        text(left + 17, top + 11, "usable", size=11),
        path(upright, stroke=f"var({INKS['others']})", stroke_width=1.4),
        text(left + 92, top + 11, "arrived, waits for other streams' bytes (head-of-line)", size=11),
        path(level, stroke=f"var({INKS['own']})", stroke_width=1.4),
        text(left + 380, top + 11, "arrived, waits for its own stream's", size=11),
        text(left, top + 29, "× dropped on its way to the client   + to the server   | load", size=11),
    ]


def _panel(panel: Panel, found: Timeline, left: float, y: float, across: _Across) -> list[str]:
    at = y + _HEAD_PX - 4
    parts = [
        path(
            f"M{number(left + 5)} {number(y + 7)}h0",
            stroke=colour(panel.place),
            stroke_width=10,
            stroke_linecap="round",
        ),
        text(left + 16, y + 12, panel.arm, size=14, colour="var(--ink)", bold=True),
        text(left, y + 29, panel.about, size=11),
        monospaced(across.right, at, found.heading, "var(--soft)", anchor="end"),
        *(
            text(
                across.bars + _BARS_PX * tick.percent / 100,
                at,
                f"{tick.label} {found.unit}" if tick is found.ticks[-1] else tick.label,
                anchor="middle",
                size=11,
            )
            for tick in found.ticks
        ),
    ]
    top = y + _HEAD_PX
    for place, (name, figures) in enumerate(zip(panel.names, panel.figures, strict=True)):
        base = top + LANE_PX * place + 12
        parts.append(monospaced(left, base, name, "var(--ink)"))
        parts.append(monospaced(across.right, base, figures, "var(--ink)", anchor="end"))
    parts.append(_placed(panel.drawing, across.bars, top, LANE_PX * len(panel.names)))
    return parts


def _placed(drawing: str, x: float, y: float, height: float) -> str:
    return re.sub(
        r"^<svg [^>]*?(viewBox=\"[^\"]+\")[^>]*>",
        lambda head: (
            f'<svg x="{number(x)}" y="{number(y)}" width="{_BARS_PX}" height="{number(height)}" '
            f'{head[1]} preserveAspectRatio="none">'
        ),
        drawing,
    )


def _wrapped(said: str) -> list[str]:
    lines = [""]
    for word in said.split():
        if len(lines[-1]) + len(word) >= _MOST_CHARACTERS:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
