"""A cell's handshake ladders as one picture, with what is said of the arms beneath."""

import re

from pronghorn.report.canvas import number, text
from pronghorn.report.ladder import Ladders
from pronghorn.report.pictures.standalone import origin, sheet

_LINE_PX, _GAP_PX = 17, 14
_KEY = "Dashed: its content had been sent before. Cross: dropped, drawn on half of the way."


def picture(title: str, found: Ladders) -> str:
    """The picture of a cell's ladders, of which there is at least one."""
    if found.drawing is None:
        raise ValueError("no ladder to be drawn")
    left, top = origin()
    size = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', found.drawing)
    if size is None:
        raise ValueError("a drawing without a size in pixels")
    wide, tall = map(float, size.groups())
    placed = found.drawing.replace("<svg", f'<svg x="{number(left)}" y="{number(top)}"', 1)
    said = [*(f"{arm.arm}: {arm.about}" for arm in found.arms), *found.faults, _KEY]
    y = top + tall + _GAP_PX
    lines = [text(left, y + _LINE_PX * place, line, size=11) for place, line in enumerate(said)]
    longest = 5.6 * max(map(len, said))
    return sheet(title, max(wide, longest), tall + _GAP_PX + _LINE_PX * len(said), [placed, *lines])
