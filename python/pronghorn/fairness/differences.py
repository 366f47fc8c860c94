"""Warnings about settings in which arms of a cell differ without having been asked to."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import count, listed
from pronghorn.fairness.compare import alike
from pronghorn.fairness.group import Group
from pronghorn.fairness.row import Row
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Cell


class Compared(NamedTuple):
    """A cell's arms and its rows."""

    groups: Sequence[Group]
    rows: Sequence[Row]

    @property
    def cell(self) -> Cell:
        """Which cell it is."""
        return self.groups[0].cell


class _Found(NamedTuple):
    cell: Cell
    row: Row
    values: str


_MOST_VALUES = 3
"""The most sets of values that a warning shows; the report has all, beneath each cell."""


def cautions(cells: Sequence[Compared]) -> Iterator[Caution]:
    """A warning for each setting that differs, whatever the cells and their values; one for all minor
    ones."""
    every = [one.cell for one in cells]
    weighty: dict[str, list[_Found]] = {}
    minor: dict[tuple[str, ...], list[Cell]] = {}
    for one in cells:
        less = []
        for row in one.rows:
            arms = differing(row, one.groups)
            if arms and row.setting.minor:
                less.append(row.setting.name)
            elif arms:
                weighty.setdefault(row.setting.key, []).append(_Found(one.cell, row, row.listed(arms)))
        if less:
            minor.setdefault(tuple(less), []).append(one.cell)
    for key, found in weighty.items():
        setting = found[0].row.setting
        remedies = dict.fromkeys(one.row.remedy for one in found if one.row.remedy)
        yield Caution(
            f"arms-differ-{key}",
            f"The arms differ{_values(setting.name, found, every)}. {setting.effect}",
            " ".join(remedies),
        )
    for names, its in minor.items():
        yield Caution(
            "arms-differ",
            f"The arms differ{place(its, every)} also in {listed(list(names))}.",
            "The report lists their values, their effects and remedies beneath each cell.",
        )


def _values(name: str, found: Sequence[_Found], every: Sequence[Cell]) -> str:
    """Where arms differ in a setting, and what they have there: the commonest values where these vary."""
    by_values: dict[str, list[Cell]] = {}
    for one in found:
        by_values.setdefault(one.values, []).append(one.cell)
    if len(by_values) == 1:
        [values] = by_values
        return f"{place(by_values[values], every)} in {name} ({values})"
    commonest = sorted(by_values.items(), key=lambda each: -len(each[1]))[:_MOST_VALUES]
    told = [f"{place(cells, every).strip()} ({values})" for values, cells in commonest]
    more = len(found) - sum(len(cells) for _, cells in commonest)
    return f" in {name}: {', '.join(told)}" + (f", and in {count(more, 'more cell')}" if more else "")


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
    for part in ("origin", "client", "path", "site", "kernel"):
        names = list(dict.fromkeys(cell.named(part) for cell in found))
        if {cell for cell in cells if cell.named(part) in names} == set(found):
            return f" on {listed(names)}"
    return f" in {count(len(found), 'cell')}, such as {found[0]}"


def _only(cells: Sequence[Cell]) -> str:
    origins = {cell.origin for cell in cells}
    return f" on {cells[0].origin}" if len(origins) == 1 else ""
