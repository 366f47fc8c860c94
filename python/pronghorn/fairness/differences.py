"""Warnings about settings in which arms of a cell differ without having been asked to."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import count, listed
from pronghorn.execute.caution import Caution
from pronghorn.fairness.compare import alike
from pronghorn.fairness.group import Group
from pronghorn.fairness.row import Row
from pronghorn.model.trial import Cell


class Compared(NamedTuple):
    """A cell's arms and its rows."""

    groups: Sequence[Group]
    rows: Sequence[Row]

    @property
    def cell(self) -> Cell:
        """Which cell it is."""
        return self.groups[0].cell


def cautions(cells: Sequence[Compared]) -> Iterator[Caution]:
    """A warning for each setting that differs, once for all cells with the same values; one for all minor
    ones."""
    every = [one.cell for one in cells]
    weighty: dict[tuple[str, str], list[tuple[Cell, Row]]] = {}
    minor: dict[tuple[str, ...], list[Cell]] = {}
    for one in cells:
        less = []
        for row in one.rows:
            arms = differing(row, one.groups)
            if arms and row.setting.minor:
                less.append(row.setting.name)
            elif arms:
                weighty.setdefault((row.setting.key, row.listed(arms)), []).append((one.cell, row))
        if less:
            minor.setdefault(tuple(less), []).append(one.cell)
    for (key, values), found in weighty.items():
        row = found[0][1]
        where = place([cell for cell, _ in found], every)
        yield Caution(
            f"arms-differ-{key}",
            f"The arms differ{where} in {row.setting.name} ({values}). {row.setting.effect}",
            row.remedy or "",
        )
    for names, its in minor.items():
        yield Caution(
            "arms-differ",
            f"The arms differ{place(its, every)} besides in {listed(list(names))}.",
            "Their values, what each may do and what removes it stand in the report, beneath each cell.",
        )


def differing(row: Row, groups: Sequence[Group]) -> list[str]:
    """The arms among which a hidden difference lies; none where all is as asked, by the arms' names or their
    own knobs."""
    among: dict[str, list[str]] = {}
    for group in groups:
        word = row.setting.peers(group)
        if word is not None and row.by_arm[group.arm.name] and not row.setting.asked_of(group):
            among.setdefault(word, []).append(group.arm.name)
    return [
        arm
        for arms in among.values()
        if not alike(row.setting, [row.by_arm[name] for name in arms])
        for arm in arms
    ]


def place(found: Sequence[Cell], every: Iterable[Cell]) -> str:
    """Where something holds, as the middle of a sentence; empty where that is everywhere."""
    cells = list(every)
    if set(found) == set(cells):
        return _only(cells)
    for part in ("origin", "client", "path", "site"):
        names = list(dict.fromkeys(str(getattr(cell, part)) for cell in found))
        if {cell for cell in cells if getattr(cell, part) in names} == set(found):
            return f" on {listed(names)}"
    return f" in {count(len(found), 'cell')}, such as {found[0]}"


def _only(cells: Sequence[Cell]) -> str:
    origins = {cell.origin for cell in cells}
    return f" on {cells[0].origin}" if len(origins) == 1 else ""
