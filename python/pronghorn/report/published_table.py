"""Published measurements beside a run's own, as tables of text: for each origin one of requests per second
and one of the total time."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pronghorn.analysis.contrasts import protocol
from pronghorn.analysis.numbers import rate, seconds
from pronghorn.model.published import Published, PublishedFigures, read
from pronghorn.model.summary import ArmSummary, CellSummary, Summary
from pronghorn.report.load_table import total

THEIRS = "theirs"


class Column(NamedTuple):
    """A column: an arm of the run, or (`theirs`) a protocol of the published ones."""

    heading: str
    theirs: bool


class BesideRow(NamedTuple):
    """One path, by its description, and its cells in the columns' order."""

    path: str
    cells: tuple[str, ...]


class Beside(NamedTuple):
    """One table: what it shows, its columns, its rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[BesideRow, ...]


class PublishedView(NamedTuple):
    """The published measurements, and the tables in which a run stands beside them."""

    published: Published
    tables: tuple[Beside, ...]


def published_view(summary: Summary) -> PublishedView | None:
    """The run beside what it is held against; None where it isn't, or has none of its paths."""
    if summary.published is None:
        return None
    published = read(summary.published)
    cells = [cell for cell in summary.cells if cell.makes_loads and published.row(cell.path) is not None]
    if not cells:
        return None
    origins = dict.fromkeys(cell.origin for cell in cells)
    quantities: Sequence[tuple[str, Callable[[PublishedFigures], str], Callable[[ArmSummary], str]]] = (
        (
            "Requests per second",
            lambda figures: rate(figures.requests_per_second),
            lambda arm: rate(arm.of("requests_per_second").median),
        ),
        (
            "Total time",
            lambda figures: seconds(figures.total_s),
            lambda arm: total(arm, summary.load_limit_s),
        ),
    )
    return PublishedView(
        published,
        tuple(
            _table(
                f"{what}, {origin}",
                [cell for cell in cells if cell.origin == origin],
                published,
                theirs,
                ours,
            )
            for origin in origins
            for what, theirs, ours in quantities
        ),
    )


def _table(
    caption: str,
    cells: Sequence[CellSummary],
    published: Published,
    theirs: Callable[[PublishedFigures], str],
    ours: Callable[[ArmSummary], str],
) -> Beside:
    arms = list(cells[0].arms)
    columns: list[Column] = []
    for name in sorted({*published.protocols, *(protocol(arm) for arm in arms)}):
        if name in published.protocols:
            columns.append(Column(name, True))
        columns += [Column(arm, False) for arm in arms if protocol(arm) == name]
    rows = []
    for cell in cells:
        row = published.row(cell.path)
        shown = []
        for column in columns:
            if not column.theirs:
                shown.append(ours(cell.arms[column.heading]))
                continue
            figures = row.of(column.heading) if row is not None else None
            shown.append(theirs(figures) if figures is not None else "no result")
        rows.append(BesideRow(cell.path, tuple(shown)))
    return Beside(caption, tuple(columns), tuple(rows))
