"""A map as a picture: one panel a slice, regions by shade and texture, so that grey or colour-blind eyes lose
nothing.

The SVG stands by itself: its colours follow day and night, and nothing in it has an id, so that it can be put
into a page.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.foreign import escape
from pronghorn.mapping.contours import contour
from pronghorn.mapping.domain import Array, Axis, Point
from pronghorn.mapping.explore import levels
from pronghorn.mapping.fitted import VERDICTS, Fitted
from pronghorn.mapping.sentence import quantity

STEP = 12
"""Pixels from one node to the next."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 62, 28, 10, 44
COLUMNS = 3
_LEAST_WIDTH, _LEAST_WIDTH_OF_ONE = 740, 320
_LEGEND_LEFT, _LEGEND_LINE = 12, 24
_LEAST_GAP = 0.13
"""Between two ticks, in parts of the axis."""

_NAMES = {"rtt": "round trip", "loss": "loss down", "rate": "rate"}
_UNITS = {"rtt": 1e-3, "loss": 1e-2, "rate": 1e6}

_STYLE = """
.map-paper{fill:#fff}.map-ink{fill:#14181f}.map-soft{fill:#545d6b}.map-frame{fill:none;stroke:#8a94a3}
.map-faster{fill:#14713c}.map-slower{fill:#e58a75}.map-same{fill:#cde5ec}.map-undecided{fill:#f3f4f6}
.map-on-faster{stroke:#fff}.map-on-slower{stroke:#5c160d}.map-on-same{stroke:#0a6a80}
.map-line{fill:none;stroke:#14181f;stroke-width:1.8}.map-halo{fill:none;stroke:#fff;stroke-width:4}
.map-dashed{stroke-dasharray:5 3}.map-dot{fill:#fff;stroke:#14181f}.map-texture{fill:none;stroke-width:1.1}
svg.map text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
svg.map .map-title{font-weight:600;font-size:13px}
@media screen and (prefers-color-scheme:dark){
.map-paper{fill:#171b22}.map-ink{fill:#e8ebf0}.map-soft{fill:#a4adbb}
.map-frame{stroke:#6f7988}.map-faster{fill:#6fd699}.map-slower{fill:#a8402f}.map-same{fill:#10424e}
.map-undecided{fill:#222831}.map-on-faster{stroke:#0b2416}.map-on-slower{stroke:#ffd9d2}
.map-on-same{stroke:#6cd0e6}
.map-line{stroke:#e8ebf0}.map-halo{stroke:#0f1217}.map-dot{fill:#0f1217;stroke:#e8ebf0}}
""".replace("\n", "")

_TEXTURES = {
    "faster": "M{left} {y}h6M{x} {top}v6",
    "slower": "M{left} {y}h6",
    "same": "M{left} {above}h5M{left} {beneath}h5",
}
"""A plus, a minus and an equals sign at each node."""

_DOT = '<circle class="map-dot" r="2.2" cx="{x}" cy="{y}"/>'


class _Panel(NamedTuple):
    """One slice: its heading, where its corner is, its regions and mean surface (x, y), and the places (x, y)
    of the points that were measured near it."""

    heading: str
    x: int
    y: int
    region: npt.NDArray[np.int64]
    mean: Array
    measured: Sequence[tuple[float, float]]


def picture(
    found: Fitted, points: Sequence[Point], *, arm: str, baseline: str, label: str, columns: int = COLUMNS
) -> str:
    """The map as SVG. `points` are those that were measured; `label` is what the picture says, in words; of
    its panels at most `columns` stand side by side."""
    first, second, sliced = sorted(range(3), key=lambda axis: (found.domain[axis].fixed, axis))
    across, upwards = found.domain[first], found.domain[second]
    panels = list(_panels(found, points, (first, second, sliced), columns))
    wide, high = _size(len(found.nodes[first])), _size(len(found.nodes[second]))
    rows = -(-len(panels) // columns)
    least = _LEAST_WIDTH if columns > 1 else _LEAST_WIDTH_OF_ONE
    width = max(min(columns, len(panels)) * (_LEFT + wide + _RIGHT), least)
    legend, height = _legend(rows * (_TOP + high + _BOTTOM) + 14, width, arm, baseline)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="map" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" aria-label="{escape(label)}">',
        f"<title>{escape(label)}</title><style>{_STYLE}</style>",
        f'<rect class="map-paper" width="{width}" height="{height}"/>',
    ]
    for panel in panels:
        parts += _drawn(panel, across, upwards, found.margin, wide, high)
    return "".join([*parts, *legend, "</svg>\n"])


def _panels(
    found: Fitted, points: Sequence[Point], order: tuple[int, int, int], columns: int
) -> Iterator[_Panel]:
    first, second, sliced = order
    region, mean = found.region.transpose(order), found.mean.transpose(order)
    places = [found.domain.unit(point) for point in points]
    nearest = [int(np.argmin(np.abs(found.nodes[sliced] - place[sliced]))) for place in places]
    axis = found.domain[sliced]
    wide, high = _size(len(found.nodes[first])), _size(len(found.nodes[second]))
    for number, value in enumerate(found.values(sliced)):
        row, column = divmod(number, columns)
        yield _Panel(
            heading=f"{_NAMES[axis.name]} {quantity(axis.name, value)}",
            x=column * (_LEFT + wide + _RIGHT) + _LEFT,
            y=row * (_TOP + high + _BOTTOM) + _TOP,
            region=region[:, :, number],
            mean=mean[:, :, number],
            measured=[
                (float(place[first]), float(place[second]))
                for place, where in zip(places, nearest, strict=True)
                if where == number
            ],
        )


def _drawn(panel: _Panel, across: Axis, upwards: Axis, margin: float, wide: int, high: int) -> Iterator[str]:
    yield f'<g transform="translate({panel.x} {panel.y})">'
    yield f'<text class="map-ink map-title" x="0" y="-10">{escape(panel.heading)}</text>'
    yield from _regions(panel, high)
    for level, style in zip(levels(margin), ("map-line", "map-line map-dashed"), strict=True):
        line = "".join(
            f"M{_at(one.x1):.1f} {high - _at(one.y1):.1f}L{_at(one.x2):.1f} {high - _at(one.y2):.1f}"
            for one in contour(panel.mean, level)
        )
        if line:
            yield f'<path class="map-halo" d="{line}"/><path class="{style}" d="{line}"/>'
    last_x, last_y = (size - 1 for size in panel.region.shape)
    for x, y in panel.measured:
        cx, cy = _at(x * last_x), high - _at(y * last_y)
        yield _DOT.format(x=f"{cx:.1f}", y=f"{cy:.1f}")
    yield f'<rect class="map-frame" width="{wide}" height="{high}"/>'
    for value in ticks(across):
        x = _at(across.unit(value) * last_x)
        yield f'<path class="map-frame" d="M{x:.1f} {high}v4"/>'
        yield _text(_short(across.name, value), "middle", x, high + 16)
    for value in ticks(upwards):
        y = high - _at(upwards.unit(value) * last_y)
        yield f'<path class="map-frame" d="M0 {y:.1f}h-4"/>'
        yield _text(_short(upwards.name, value), "end", -7, y + 4)
    yield _text(_caption(across), "middle", wide / 2, high + 32)
    yield (
        f'<text class="map-soft" text-anchor="middle" transform="translate(-46 {high / 2:.0f}) rotate(-90)">'
        f"{_caption(upwards)}</text></g>"
    )


def _text(text: str, anchor: str, x: float, y: float) -> str:
    return f'<text class="map-soft" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _regions(panel: _Panel, high: int) -> Iterator[str]:
    textures: dict[str, list[str]] = {name: [] for name in _TEXTURES}
    for row in range(panel.region.shape[1]):
        y = high - STEP * (row + 1)
        for region, run in groupby(enumerate(panel.region[:, row]), key=lambda one: int(one[1])):
            columns = [column for column, _ in run]
            name = VERDICTS[region]
            yield (
                f'<rect class="map-{name}" x="{STEP * columns[0]}" y="{y}" width="{STEP * len(columns)}" '
                f'height="{STEP}"/>'
            )
            if name in _TEXTURES:
                textures[name] += [_mark(name, STEP * column, y) for column in columns]
    for texture, marks in textures.items():
        if marks:
            yield f'<path class="map-texture map-on-{texture}" d="{"".join(marks)}"/>'


def _mark(name: str, left: int, top: int) -> str:
    x, y = left + STEP // 2, top + STEP // 2
    return _TEXTURES[name].format(x=x, y=y, left=x - 3, top=y - 3, above=y - 2, beneath=y + 2)


def _legend(y: int, width: int, arm: str, baseline: str) -> tuple[list[str], int]:
    """What regions, lines and dots mean, from `y` on, as many a line as have room; and where it ends."""
    words = {
        "faster": f"{arm} faster",
        "slower": f"{arm} slower",
        "same": "same within the margin",
        "undecided": "undecided",
    }
    groups = (
        [(name, "map-ink", text) for name, text in words.items()],
        [
            ("map-line", "map-soft", "the arm begins to win, most likely"),
            ("map-line map-dashed", "map-soft", "it begins to cost, most likely"),
            ("map-dot", "map-soft", f"measured ({arm} against {baseline})"),
        ],
    )
    parts: list[str] = []
    for group in groups:
        x = _LEGEND_LEFT
        for shown, ink, text in group:
            room = 2 * STEP + 24 + 7 * len(text)
            if x > _LEGEND_LEFT and x + room > width:
                x, y = _LEGEND_LEFT, y + _LEGEND_LINE
            parts += _sample(shown, x, y)
            parts.append(f'<text class="{ink}" x="{x + 2 * STEP + 6}" y="{y + 10}">{escape(text)}</text>')
            x += room
        y += _LEGEND_LINE
    return parts, y


def _sample(shown: str, x: int, y: int) -> Iterator[str]:
    """Of a verdict's region, a line or a dot, two steps wide and one high."""
    if shown == "map-dot":
        yield _DOT.format(x=x + STEP, y=y + STEP // 2)
    elif shown.startswith("map-line"):
        yield f'<path class="{shown}" d="M{x} {y + STEP // 2}h{2 * STEP}"/>'
    else:
        for style in (f"map-{shown}", "map-frame"):
            yield f'<rect class="{style}" x="{x}" y="{y}" width="{2 * STEP}" height="{STEP}"/>'
    if shown in _TEXTURES:
        marks = _mark(shown, x, y) + _mark(shown, x + STEP, y)
        yield f'<path class="map-texture map-on-{shown}" d="{marks}"/>'


def ticks(axis: Axis) -> list[float]:
    """Round values along an axis, not too near each other: powers of ten first, then their two-, three- and
    fivefold."""
    if axis.fixed:
        return [axis.low]
    found: list[float] = [0.0] if axis.low == 0 else []
    unit = _UNITS[axis.name]
    for factor in (1, 3) if axis.name == "loss" else (1, 2, 5, 3):
        for power in range(-7, 8):
            value = factor * 10.0**power * unit
            near = (abs(axis.unit(value) - axis.unit(other)) < _LEAST_GAP for other in found)
            if axis.low <= value <= axis.high and not any(near):
                found.append(value)
    return sorted(found)


def _size(nodes: int) -> int:
    return STEP * nodes


def _at(steps: float) -> float:
    """Where a place is, in pixels from the panel's corner: a node is in the middle of its square."""
    return STEP * (steps + 0.5)


def _short(name: str, value: float) -> str:
    return f"{value / _UNITS[name]:.6g}"


def _caption(axis: Axis) -> str:
    unit = {"rtt": "ms", "loss": "%", "rate": "Mbit/s"}[axis.name]
    return f"{_NAMES[axis.name]}, {unit}"
