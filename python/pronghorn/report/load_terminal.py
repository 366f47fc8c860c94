"""Loads on a terminal: a table a cell; for the whole the map of HTTP/3 against the others, the run beside
what was published, and the claims."""

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from pronghorn.analysis.numbers import interval, ratio
from pronghorn.model.summary import CellSummary, Claim, State, Summary
from pronghorn.report.claims import bounds, failed_loads
from pronghorn.report.colours import COLOURS
from pronghorn.report.event_table import EventView, event_view
from pronghorn.report.heat_map import HeatMap, heat_map
from pronghorn.report.load_table import HEADINGS, LOAD_NOTE, load_rows
from pronghorn.report.published_table import Beside, published_view
from pronghorn.terminal import Terminal

_SHOWN = tuple(HEADINGS.index(heading) for heading in ("requests/s", "min", "max", "total", "p99"))
"""What fits into 80 columns."""

_STATES: dict[State, str] = {"reproduced": "green", "not reproduced": "red", "undecided": "yellow"}


def render_cell(cell: CellSummary, summary: Summary, console: Terminal) -> None:
    """Prints a cell: its arms, and in words the verdicts."""
    qualifiers = ["requests per second", f"baseline {summary.baseline}", summary.label]
    _titled(cell.title, " · ".join(filter(None, qualifiers)), console)
    grid = _grid("arm", *(HEADINGS[place] for place in _SHOWN), "n", "failed")
    for row in load_rows(cell, summary.load_limit_s):
        failed = Text(str(row.failed), style="bold red" if row.failed else "dim")
        figures = (Text(row.figures[place]) for place in _SHOWN)
        grid.add_row(Text(row.arm, style="bold"), *figures, row.n, failed)
    _indented(grid, console)
    for comparison in cell.led():
        _indented(Text(comparison.words, style=COLOURS[comparison.verdict]), console)
    for note in (LOAD_NOTE, *cell.notes):
        _indented(Text(note, style="dim"), console)


def render_whole(summary: Summary, console: Terminal) -> None:
    """Prints what is said of all cells of loads together; nothing where there are none."""
    if (found := heat_map(summary)) is not None:
        _render_map(found, console)
    if (costs := event_view(summary)) is not None:
        _render_events(costs, console)
    if (view := published_view(summary)) is not None:
        for table in view.tables:
            _render_beside(table, console)
        _indented(Text(f"theirs: {view.published.title}", style="dim"), console)
    if summary.claims:
        _titled("The published claims", "", console)
    for claim in summary.claims:
        _render_claim(claim, console)


def _render_map(found: HeatMap, console: Terminal) -> None:
    _titled("HTTP/3 against the others", "requests per second, ratio of medians; ? undecided", console)
    grid = _grid("path", *found.columns)
    for row in found.rows:
        cells = [
            Text(f"{cell.ratio}{cell.mark}\n{cell.interval}", style=COLOURS[cell.verdict])
            for cell in row.cells
        ]
        grid.add_row(Text(row.path, style="bold"), *cells)
    _indented(grid, console)


def _render_events(view: EventView, console: Terminal) -> None:
    _titled(view.title, "", console)
    shown = [view.headings.index(heading) for heading in ("event", "times", "requests", "lost", "retried")]
    grid = _grid("cell", "arm", *(view.headings[place] for place in shown))
    for row in view.rows:
        style = "bold red" if row.lost else ""
        grid.add_row(
            Text(row.cell, style="bold"), row.arm, *(Text(row.figures[place], style=style) for place in shown)
        )
    _indented(grid, console)
    _indented(Text(view.note, style="dim"), console)


def _render_beside(table: Beside, console: Terminal) -> None:
    _titled(table.caption, "medians, beside what was published", console)
    headings = [f"{column.heading} theirs" if column.theirs else column.heading for column in table.columns]
    grid = _grid("path", *headings)
    for row in table.rows:
        cells = [
            Text(cell, style="dim" if column.theirs else "")
            for cell, column in zip(row.cells, table.columns, strict=True)
        ]
        grid.add_row(Text(row.path, style="bold"), *cells)
    _indented(grid, console)


def _render_claim(claim: Claim, console: Terminal) -> None:
    _indented(Text(claim.words, style=_STATES[claim.state]), console)
    for reading in claim.readings:
        for part in reading.parts:
            said = ratio(part.ratio, *part.ci95)
            if part.ci95 != (None, None):
                said += f", 95 % interval {interval(*part.ci95)}"
            theirs = f"; theirs {ratio(part.theirs)}" if part.theirs is not None else ""
            state = part.state if part.reason is None else f"{part.state} ({part.reason})"
            line = f"  {reading.origin}: {part.what}: {said}; expected {bounds(part)}{theirs}: {state}"
            line = "; ".join(filter(None, (line, failed_loads(part))))
            _indented(Text(line, style="dim"), console)


def _titled(title: str, more: str, console: Terminal) -> None:
    console.print()
    console.print(Text.assemble((title, "bold"), (f"  {more}", "dim")))


def _grid(first: str, *others: str) -> RichTable:
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    grid.add_column(first, overflow="fold")
    for heading in others:
        grid.add_column(heading, justify="right")
    return grid


def _indented(what: Text | RichTable, console: Terminal) -> None:
    console.print(Padding(what, (0, 0, 0, 2), expand=False))
