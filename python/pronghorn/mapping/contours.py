"""The line at which a field on a grid has a certain height, by marching squares (Lorensen & Cline 1987, in
two dimensions), with straight lines between nodes."""

from typing import NamedTuple

from pronghorn.mapping.domain import Array


class Segment(NamedTuple):
    """A piece of the line, in units of the grid's steps."""

    x1: float
    y1: float
    x2: float
    y2: float


def contour(field: Array, level: float) -> list[Segment]:
    """The line of a field (x, y). Of a square with two diagonal corners above, the corners above are cut off
    each by itself."""
    found: list[Segment] = []
    wide, high = field.shape
    for x in range(wide - 1):
        for y in range(high - 1):
            corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
            ends = []
            for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
                here, there = float(field[one]) - level, float(field[other]) - level
                if (here > 0) != (there > 0):
                    share = here / (here - there)
                    ends.append((one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])))
            if len(ends) == 4 and float(field[corners[0]]) > level:
                ends = [ends[3], *ends[:3]]
            found += [Segment(*ends[at], *ends[at + 1]) for at in range(0, len(ends), 2)]
    return found
