"""A cell's waterfalls as one picture: each arm's requests as lines of text, with their bars beside them."""

import re

from pronghorn.report.canvas import number, text
from pronghorn.report.pictures.monospaced import CHARACTER_PX, monospaced
from pronghorn.report.pictures.standalone import origin, sheet
from pronghorn.report.violins import colour
from pronghorn.report.waterfall import Waterfalls
from pronghorn.report.waterfall.bars import ROW_PX

_BARS_PX = 520
_HEAD_PX, _GAP_PX, _KEY_PX = 46, 20, 26

_STROKES = {"grid": 1.5, "fcp": 2.5, "lcp": 2.5, "load": 2.5, "moved": 2.5, "broke": 6.0}
"""How strong lines down the drawing are, in its units across, where a bar is told by its height."""

_SLIM = {"queued": 0.25, "served": 0.25}
_BAR = 0.7
_INKS = {"load": "ink", "served": "ink", "moved": "tls", "broke": "bad"}
"""Colours of those that have none of their own name."""


def picture(title: str, found: Waterfalls) -> str:
    """The picture of a cell's waterfalls."""
    left, top = origin()
    longest = max(
        len(said) for panel in found.panels for said in (panel.heading, *(line.text for line in panel.lines))
    )
    bars_at = left + longest * CHARACTER_PX + 14
    parts = _key(found, left, top)
    labels = [tick.label for tick in found.ticks]
    labels[-1] += f" {found.unit}"
    y = top + _KEY_PX
    for panel in found.panels:
        parts.append(text(left, y + 12, panel.arm, size=14, colour=colour(panel.place), bold=True))
        parts.append(text(left, y + 28, panel.about, size=11))
        parts.append(monospaced(left, y + _HEAD_PX - 3, panel.heading, "var(--soft)"))
        at = y + _HEAD_PX - 3
        parts += [
            text(bars_at + _BARS_PX * tick.percent / 100, at, label, anchor="middle", size=11)
            for tick, label in zip(found.ticks, labels, strict=True)
        ]
        y += _HEAD_PX
        parts += [
            monospaced(left, y + ROW_PX * row + 11, line.text, "var(--bad)" if line.bad else "var(--ink)")
            for row, line in enumerate(panel.lines)
        ]
        height = ROW_PX * len(panel.lines)
        parts.append(_bars(panel.drawing, bars_at, y, height))
        y += height + _GAP_PX
    width = max(bars_at + _BARS_PX + 10 - left, 480)
    return sheet(title, width, y - top, parts)


def _key(found: Waterfalls, left: float, top: float) -> list[str]:
    named = found.phases | ({"served": "at the origin"} if found.served else {}) | found.marks
    parts: list[str] = []
    x = left
    for name, said in named.items():
        parts.append(
            f'<rect x="{number(x)}" y="{number(top + 2)}" width="12" height="9" fill="{_ink(name)}"/>'
        )
        parts.append(text(x + 17, top + 11, said, size=11))
        x += 17 + 6.2 * len(said) + 16
    return parts


def _bars(drawing: str, x: float, y: float, height: float) -> str:
    placed = re.sub(
        r"^<svg [^>]*?(viewBox=\"[^\"]+\")[^>]*>",
        lambda head: (
            f'<svg x="{number(x)}" y="{number(y)}" width="{_BARS_PX}" height="{number(height)}" '
            f'{head[1]} preserveAspectRatio="none">'
        ),
        drawing,
    )
    return re.sub(r'<path class="(\w+)"', lambda path: _stroked(path[1]), placed)


def _stroked(name: str) -> str:
    width = _STROKES.get(name, _SLIM.get(name, _BAR))
    return f'<path fill="none" stroke="{_ink(name)}" stroke-width="{width:g}"'


def _ink(name: str) -> str:
    return f"var(--{_INKS.get(name, name)})"
