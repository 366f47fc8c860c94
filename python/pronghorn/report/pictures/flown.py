"""A cell's flights as one picture: its panels one beneath the other over one axis."""

import re

from pronghorn.report.canvas import number, path, text
from pronghorn.report.flights import Flights
from pronghorn.report.flights.drawing import WIDTH
from pronghorn.report.pictures.standalone import origin, sheet
from pronghorn.report.violins import colour

_LEVELS_PX = 64
_ZOOM = 1.2
_HEAD_PX, _GAP_PX, _KEY_PX, _LINE_PX = 22, 12, 26, 17
_STRENGTHS = {"grid": 0.8, "thin": 0.8, "timeouts": 2.5}


def picture(title: str, found: Flights) -> str:
    """The picture of a cell's flights, with what is said of the arms beneath."""
    left, top = origin()
    plot, width = left + _LEVELS_PX, WIDTH * _ZOOM
    parts: list[str] = []
    x = left
    for arm in found.arms:
        sample = f"M{number(x)} {number(top + 7)}h22"
        parts.append(path(sample, stroke=colour(arm.place), stroke_width=3))
        parts.append(text(x + 28, top + 11, arm.arm))
        x += 28 + 7.2 * len(arm.arm) + 16
    y = top + _KEY_PX
    for panel in found.panels:
        heading = f"{panel.title} ({panel.unit})" if panel.unit else panel.title
        parts.append(text(plot, y + 14, heading, size=13, colour="var(--ink)", bold=True))
        y += _HEAD_PX
        height = _height(panel.drawing) * _ZOOM
        parts += [
            text(plot - 6, y + height * tick.percent / 100 + 4, tick.label, anchor="end", size=11)
            for tick in panel.ticks
        ]
        parts.append(_placed(panel.drawing, plot, y, width, height))
        y += height + _GAP_PX
    parts += [
        text(
            plot + width * tick.percent / 100,
            y + 8,
            f"{tick.label} {found.unit}" if tick is found.ticks[-1] else tick.label,
            anchor="middle",
            size=11,
        )
        for tick in found.ticks
    ]
    y += _KEY_PX
    said = [f"{arm.arm}: {arm.about}" for arm in found.arms] + found.faults
    for number_of_line, line in enumerate(said):
        parts.append(text(left, y + _LINE_PX * number_of_line + 8, line, size=11))
    y += _LINE_PX * len(said)
    widest = max((6.0 * len(line) for line in said), default=0.0)
    return sheet(title, max(_LEVELS_PX + width + 30, widest), y - top, parts)


def _height(drawing: str) -> float:
    found = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', drawing)
    return float(found[1]) if found else 0.0


def _placed(drawing: str, x: float, y: float, width: float, height: float) -> str:
    label = re.search(r'aria-label="([^"]*)"', drawing)
    head = (
        f'<svg x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {WIDTH} {number(height / _ZOOM)}">' + (f"<title>{label[1]}</title>" if label else "")
    )
    body = re.sub(r"^<svg [^>]*>", head, drawing)
    return re.sub(r"<path(?: class=\"(\w+)\")?", lambda found: _stroked(found[1]), body)


def _stroked(name: str | None) -> str:
    ink = ' stroke="var(--grid)"' if name == "grid" else ""
    faint = ' stroke-opacity="0.45"' if name == "thin" else ""
    return f'<path fill="none" stroke-width="{_STRENGTHS.get(name or "", 1.4):g}"{ink}{faint}'
