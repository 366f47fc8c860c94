"""A large run on one screen: a table of its cells. The longest dimension runs down, all others across."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.effects import change
from pronghorn.model.cell import DIMENSIONS
from pronghorn.model.summary import CellSummary, Comparison, Verdict


class Entry(NamedTuple):
    """A comparison in brief: the signed change, and its verdict. An empty one wasn't measured."""

    verdict: Verdict | None
    change: str


class Column(NamedTuple):
    """The heading above so many arms."""

    title: str
    arms: tuple[str, ...]


class Line(NamedTuple):
    """A row of the table."""

    title: str
    entries: tuple[Entry, ...]


class Matrix(NamedTuple):
    """`down` is the dimension whose values are the rows."""

    down: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


def matrix(cells: Sequence[CellSummary]) -> Matrix:
    """The table of all comparisons that decide."""
    values = {key: list(dict.fromkeys(_named(cell, key) for cell in cells)) for key in DIMENSIONS}
    down = max(("path", *DIMENSIONS), key=lambda key: len(values[key]))
    across = [key for key in DIMENSIONS if key != down and len(values[key]) > 1]
    arms = sorted(
        dict.fromkeys(one.arm for cell in cells for one in cell.led()),
        key=lambda arm: not arm.startswith("h3"),
    )
    places: dict[tuple[str, ...], None] = dict.fromkeys(_place(cell, across) for cell in cells)
    found: dict[tuple[str, tuple[str, ...], str], Comparison] = {
        (_named(cell, down), _place(cell, across), one.arm): one for cell in cells for one in cell.led()
    }
    return Matrix(
        down=down,
        columns=tuple(Column(", ".join(filter(None, place)), tuple(arms)) for place in places),
        lines=tuple(
            Line(value, tuple(_entry(found.get((value, place, arm))) for place in places for arm in arms))
            for value in values[down]
        ),
    )


def _named(cell: CellSummary, key: str) -> str:
    return cell.cell.named(key)


def _place(cell: CellSummary, across: Sequence[str]) -> tuple[str, ...]:
    return tuple(_named(cell, key) for key in across)


def _entry(found: Comparison | None) -> Entry:
    return Entry(None, "") if found is None else Entry(found.verdict, change(found))
