"""The summary on a terminal: warnings first; for each cell a table, and in words the verdicts and what
explains them; the headline last."""

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from pronghorn.model.kernels import Kernels
from pronghorn.model.quic_stacks import StackPair
from pronghorn.model.summary import CellSummary, Summary
from pronghorn.report import load_terminal
from pronghorn.report.colours import COLOURS
from pronghorn.report.table import table, thin_note
from pronghorn.terminal import Terminal


def render(summary: Summary, console: Terminal) -> None:
    """Prints the summary; the last lines are the headline, so that they remain in view, with the warnings
    that the first lines have."""
    for line in summary.first_lines():
        console.print(Text(line, style="bold red"), soft_wrap=True)
    for cell in summary.cells:
        _render_cell(cell, summary, console)
    load_terminal.render_whole(summary, console)
    if summary.kernels is not None:
        _render_kernels(summary.kernels, console)
    if summary.stacks:
        _render_stacks(summary.stacks, console)
    console.print()
    console.print(Text(summary.name, style="bold"))
    if summary.label:
        _indented(Text(f"! {summary.label}", style="bold yellow"), console)
    for warning in summary.warnings:
        _indented(Text(f"! {warning}", style="bold red"), console)
    for sentence in summary.headline:
        _indented(Text(sentence, style="bold"), console)
    if summary.correction is not None:
        _indented(Text(summary.correction.words), console)
    for note in summary.notes:
        _indented(Text(f"note: {note}", style="dim"), console)


def _render_cell(cell: CellSummary, summary: Summary, console: Terminal) -> None:
    if cell.makes_loads:
        load_terminal.render_cell(cell, summary, console)
        return
    found = table(cell)
    qualifiers = [f"load time in {found.unit}", f"baseline {summary.baseline}", summary.label]
    console.print()
    console.print(Text.assemble((cell.title, "bold"), (f"  {' · '.join(filter(None, qualifiers))}", "dim")))
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    grid.add_column("arm", overflow="fold")
    for heading in (*found.headings, "n", "failed"):
        grid.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        failed = Text(str(row.failed), style="bold red" if row.failed else "dim")
        grid.add_row(Text(row.arm, style="bold"), *(Text(figure) for figure in row.figures), row.n, failed)
    _indented(grid, console)
    for comparison in cell.comparisons:
        if comparison in cell.led():
            _indented(Text(comparison.words, style=COLOURS[comparison.verdict]), console)
    if cell.loaded_words:
        _indented(Text(cell.loaded_words), console)
    for said in cell.why_words:
        _indented(Text(said), console)
    for explained in summary.explained(cell.cell):
        _indented(Text(explained.words), console)
    for note in filter(None, [thin_note(found), *cell.notes]):
        _indented(Text(note, style="dim"), console)


def _render_kernels(found: Kernels, console: Terminal) -> None:
    console.print()
    console.print(
        Text("Protocol or machine?" if found.splits else "What does the kernel change?", style="bold")
    )
    for split in found.splits:
        _indented(Text(split.words), console)
    for change in found.changes:
        _indented(Text(change.words, style=COLOURS[change.verdict]), console)


def _render_stacks(found: list[StackPair], console: Terminal) -> None:
    console.print()
    console.print(Text("HTTP/3 or one QUIC stack?", style="bold"))
    for pair in found:
        _indented(Text(pair.words, style="bold" if pair.is_the_stacks else ""), console)


def _indented(what: Text | RichTable, console: Terminal) -> None:
    console.print(Padding(what, (0, 0, 0, 2), expand=False))
