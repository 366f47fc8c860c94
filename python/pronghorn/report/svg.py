"""What the report's charts have in common: lanes, colours, and SVG that is the same for the same data.

A chart is a specification of Vega-Lite 5 as its documentation writes them: reading a library that builds such
tables takes longer than drawing them. Colours are the stylesheet's custom properties, so that one drawing
serves light and dark. Nothing in the SVG has an id, so that many of them share a page.
"""

import re
from collections.abc import Sequence
from typing import Any

import vl_convert

from pronghorn.foreign import visible

Rows = list[dict[str, Any]]
Table = dict[str, Any]
"""A part of a specification."""

WIDE, NARROW = 760, 320
"""Widths in pixels: for a window, and for a telephone."""


_LINE = 15
"""The height of a label's line, in pixels."""


def layer(rows: Rows, mark: str, style: Table, **encoding: Table) -> Table:
    """A mark for each row, placed and coloured by its fields."""
    return {"data": {"values": rows}, "mark": {"type": mark, **style}, "encoding": encoding}


def quantity(field: str, **more: Any) -> Table:
    """What a field's numbers decide."""
    return {"field": field, "type": "quantitative", **more}


def own(field: str) -> Table:
    """The colour that a row brings along, without a scale or a legend."""
    return {"field": field, "type": "nominal", "scale": None, "legend": None}


def words(field: str) -> Table:
    """The text that a row brings along."""
    return {"field": field, "type": "nominal"}


def lane_axis(labels: Sequence[str], width: int = NARROW) -> Table:
    """The axis that names the lanes of a drawing of this width; a third of a wide one is theirs. A label's
    lines stand one beneath the other."""
    names = ",".join(f"[{','.join(_quoted(line) for line in label.splitlines())}]" for label in labels)
    return {
        "title": None,
        "values": list(range(len(labels))),
        "labelExpr": f"[{names}][datum.value]",
        "labelFontSize": 13,
        "labelLineHeight": _LINE,
        "labelOffset": -_LINE / 2 * max((label.count("\n") for label in labels), default=0),
        "labelLimit": max(150, width // 3),
        "grid": False,
        "ticks": False,
        "domain": False,
        "labelPadding": 8,
    }


def _quoted(label: str) -> str:
    return "'" + re.sub(r"[^\w .,:;+@#~/()&=-]", lambda odd: f"\\u{ord(odd[0]) & 0xFFFF:04x}", label) + "'"


def svg(layers: list[Table], width: int, height: int) -> str:
    """The drawing of `layers`, one upon the other."""
    axis = {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "labelFont": "inherit",
        "titleFont": "inherit",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "var(--grid)",
        "domainColor": "var(--axis)",
        "tickColor": "var(--axis)",
    }
    config = {
        "background": "transparent",
        "font": "inherit",
        "aria": False,
        "padding": 4,
        "view": {"stroke": None},
        "axis": axis,
    }
    chart = {
        "layer": layers,
        "width": width,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": config,
    }
    return _trimmed(visible(vl_convert.vegalite_to_svg(chart)))


def _trimmed(drawing: str) -> str:
    """Coordinates to a tenth of a pixel; what is to be read stays as it is. Without Vega's roles, which stand
    on nameless groups: the page gives the whole drawing one, and a name."""
    drawing = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", drawing)
    return re.sub(r'="[^"]*"', lambda quoted: re.sub(r"-?\d+\.\d{2,}", _tenth, quoted[0]), drawing)


def _tenth(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}"
