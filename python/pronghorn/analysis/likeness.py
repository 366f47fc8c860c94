"""Whether the loads behind a verdict were loads of one page: warnings that belong before it.

A page much of which was left out is another page; so are the pages of two arms, or of two clients, that make
numbers of requests, or of bytes, that differ by more than a tenth."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pronghorn.analysis.failing import told
from pronghorn.analysis.loaded import extent
from pronghorn.analysis.numbers import count
from pronghorn.model.loaded import Loaded
from pronghorn.model.summary import CellSummary

TENTH = 0.1
"""What may be left out of a page, or differ between two loads of it, as a share."""

_WARM = "+warm"
"""What an arm's name has whose loads may take resources from a cache."""


class Doubt(NamedTuple):
    """Why a cell's verdicts aren't what they seem: `kind` tells alike ones from others, `text` is a sentence
    without the cell's name, `short` a clause for the verdict of one of the `arms`."""

    kind: str
    text: str
    short: str
    arms: tuple[str, ...]


def warned(cells: Sequence[CellSummary]) -> list[CellSummary]:
    """The cells with their warnings, which the verdicts that they concern end with as well."""
    return [_with(cell, [*_of_cell(cell), *_of_clients(cell, cells)]) for cell in cells]


def warnings(cells: Sequence[CellSummary]) -> list[str]:
    """The warnings of all cells, one a kind: that of the first cell that has it, and how many more do."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        for doubt in [*_of_cell(cell), *_of_clients(cell, cells)]:
            found.setdefault(doubt.kind, []).append(f"{cell.title}: {doubt.text}")
    return [
        f"{said[0]} The same holds in {count(len(said) - 1, 'further case')}." if len(said) > 1 else said[0]
        for said in found.values()
    ]


def _with(cell: CellSummary, doubts: Sequence[Doubt]) -> CellSummary:
    if not doubts:
        return cell
    led = cell.led()

    def warned_of(arms: tuple[str, str], words: str) -> str:
        short = [one.short for one in doubts if set(arms) & set(one.arms)]
        return f"{words}; warning: {', '.join(dict.fromkeys(short))}" if short else words

    comparisons = [
        one.model_copy(update={"words": warned_of((one.arm, one.baseline), one.words)}) if one in led else one
        for one in cell.comparisons
    ]
    return cell.model_copy(update={"comparisons": comparisons, "warnings": [one.text for one in doubts]})


def _of_cell(cell: CellSummary) -> Iterator[Doubt]:
    arms = {name: arm.loaded for name, arm in cell.arms.items() if arm.loaded is not None}
    yield from _idle(arms)
    yield from _left_out(cell.client, arms)
    different = [
        (one, other)
        for one, other in combinations(arms, 2)
        if (_WARM in one) == (_WARM in other) and differ(arms[one], arms[other])
    ]
    if different:
        one, other = different[0]
        beside = f"{_said(one, arms[one])}, {_said(other, arms[other])}"
        yield Doubt(
            "arms",
            f"the arms loaded different pages ({beside}). A verdict compares the pages as well as "
            "the protocols.",
            "the arms loaded different pages",
            tuple(dict.fromkeys(name for pair in different for name in pair)),
        )


def _idle(arms: Mapping[str, Loaded]) -> Iterator[Doubt]:
    idle = [name for name, found in arms.items() if found.requests == 0]
    if idle:
        yield Doubt(
            "no-request",
            f"{', '.join(idle)} made no request, because the cache held the whole page. There is nothing "
            "to compare. Make clients request the document again: --set cache_control=no-cache",
            f"{', '.join(idle)} made no request",
            tuple(idle),
        )


def _left_out(client: str, arms: Mapping[str, Loaded]) -> Iterator[Doubt]:
    short = {name: found for name, found in arms.items() if found.left_out_share > TENTH}
    if not short:
        return
    most = max(short.values(), key=lambda found: found.left_out_share)
    whole = (most.requests or 0) + most.left_out
    said = f"{most.left_out:g} of {whole:g} references"
    yield Doubt(
        "left-out",
        f"{client} left out {said} of the page{_why(most)}. The verdict is about the rest.",
        f"{said} were left out",
        tuple(short),
    )


def _why(found: Loaded) -> str:
    reasons = [f"{why} {one.named}" for why, one in found.left_out_for.items()]
    example = next((url for one in found.left_out_for.values() for url in one.examples), None)
    such_as = [f"such as {told(example)}"] if example is not None else []
    return f" ({', '.join([*reasons, *such_as])})" if reasons else ""


def _of_clients(cell: CellSummary, cells: Sequence[CellSummary]) -> Iterator[Doubt]:
    """Where another client loaded another page in a cell that is else the same; of several one is named."""
    for other in cells:
        if other.client == cell.client or other.cell.model_copy(update={"client": cell.client}) != cell.cell:
            continue
        pairs = {name: (arm.loaded, other.arms[name].loaded) for name, arm in cell.arms.items()}
        different = {
            name: (mine, theirs)
            for name, (mine, theirs) in pairs.items()
            if mine is not None and theirs is not None and differ(mine, theirs)
        }
        if different:
            name, (mine, theirs) = next(iter(different.items()))
            beside = f"{_said(cell.client, mine)}, {_said(other.client, theirs)}, over {name}"
            yield Doubt(
                "clients",
                f"the clients loaded different pages ({beside}). Don't compare their verdicts.",
                f"{cell.client} loaded a different page than {other.client}",
                tuple(different),
            )
            return


def differ(one: Loaded, other: Loaded) -> bool:
    """Whether the larger number of requests, or of bytes, exceeds the smaller by more than a tenth."""
    pairs = ((one.requests, other.requests), (one.bytes, other.bytes))
    return any(
        mine is not None and theirs is not None and max(mine, theirs) > (1 + TENTH) * min(mine, theirs)
        for mine, theirs in pairs
    )


def _said(name: str, found: Loaded) -> str:
    return f"{name} {extent(found)}"
