"""A drawing that stands alone: with its title, on white, its colours and fonts named."""

import re
from collections.abc import Sequence

from pronghorn.foreign import escape
from pronghorn.report.canvas import number
from pronghorn.report.pictures.palette import coloured

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

_PADDING = 16
_TITLE_PX = 30


def standalone(title: str, drawing: str) -> str:
    """The SVG `drawing`, of a size in pixels, as a file's text."""
    size = re.search(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', drawing)
    if size is None:
        raise ValueError("a drawing without a size in pixels")
    placed = drawing.replace("<svg", f'<svg x="{_PADDING}" y="{_PADDING + _TITLE_PX}"', 1)
    return sheet(title, float(size[1]), float(size[2]), [placed])


def sheet(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    """A picture with room of this size, in pixels, beneath its title; `parts` are placed by themselves, from
    `origin` on."""
    wide, tall = number(width + 2 * _PADDING), number(height + 2 * _PADDING + _TITLE_PX)
    most = int(width / 8.2)
    shown = title if len(title) <= most else f"{title[: most - 1]}…"
    heading = (
        f'<text x="{_PADDING}" y="{_PADDING + 16}" font-size="16" font-weight="600" fill="var(--ink)">'
        f"{escape(shown)}</text>"
    )
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" '
        f'viewBox="0 0 {wide} {tall}" font-family="{FONT}"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{heading}{"".join(parts)}</svg>\n'
    )
    return coloured(whole.replace('font-family="inherit"', f'font-family="{FONT}"'))


def origin() -> tuple[float, float]:
    """Where a sheet's room begins."""
    return _PADDING, _PADDING + _TITLE_PX
