"""Lines of columns whose font has one width, which keep their columns where a host has no such font."""

import re

from pronghorn.foreign import escape
from pronghorn.report.canvas import number

MONOSPACED = "Liberation Mono, DejaVu Sans Mono, Courier New, Liberation Sans, monospace"
"""The last but one is the font that the renderer brings along: an unknown one would draw nothing."""

SIZE_PX = 11
CHARACTER_PX = 0.6 * SIZE_PX
"""A character's width in these fonts but the last."""


def monospaced(x: float, y: float, said: str, ink: str, *, anchor: str = "start") -> str:
    """A line whose baseline is at `y` and which begins, or with the anchor `end` ends, at `x`.

    Each word stands where its first character does, each number where its last one does, whatever the font.
    """
    left = x - CHARACTER_PX * len(said) if anchor == "end" else x
    words = "".join(_word(left, found) for found in re.finditer(r"\S+", said))
    return (
        f'<text y="{number(y)}" font-family="{MONOSPACED}" font-size="{SIZE_PX}" fill="{ink}">{words}</text>'
    )


def _word(left: float, found: re.Match[str]) -> str:
    is_number = found[0][0].isdigit()
    x = left + CHARACTER_PX * (found.end() if is_number else found.start())
    anchor = ' text-anchor="end"' if is_number else ""
    return f'<tspan x="{number(x)}"{anchor}>{escape(found[0])}</tspan>'
