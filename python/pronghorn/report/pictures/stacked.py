"""A cell's parts as one picture: the bars beneath the key of their numbers."""

import re

from pronghorn.report.canvas import number, text
from pronghorn.report.parts_chart import PartsView
from pronghorn.report.pictures.standalone import origin, sheet
from pronghorn.report.svg import WIDE

_ENTRY_PX, _LINE_PX = 190, 20
_COLUMNS = WIDE // _ENTRY_PX


def picture(title: str, found: PartsView) -> str:
    """The picture of a cell's parts."""
    left, top = origin()
    parts: list[str] = []
    for place, one in enumerate(found.key):
        x, y = left + _ENTRY_PX * (place % _COLUMNS), top + _LINE_PX * (place // _COLUMNS)
        box = f'<rect x="{number(x)}" y="{number(y + 2)}" width="12" height="9" fill="{one.colour}"/>'
        parts += [box, text(x + 17, y + 11, f"{one.number} {one.name}", size=11)]
    key = _LINE_PX * -(-len(found.key) // _COLUMNS) + 8
    drawing = found.chart.wide.replace("<svg", f'<svg x="{number(left)}" y="{number(top + key)}"', 1)
    height = re.search(r' height="([\d.]+)"', drawing)
    parts.append(drawing)
    return sheet(title, WIDE, key + (float(height[1]) if height else 0.0), parts)
