"""Two runs beside each other on a terminal: a table a cell, in words what changed, what else differs, and the
headline last."""

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pronghorn.analysis.numbers import count, interval, ratio
from pronghorn.analysis.words import METRICS
from pronghorn.before_after.pages import DIFFERENT
from pronghorn.before_after.words import shown
from pronghorn.model.changes import CellChange, Changes
from pronghorn.report.colours import COLOURS
from pronghorn.terminal import Terminal


def render(changes: Changes, console: Terminal) -> None:
    """Prints it, first of all that the runs loaded different pages."""
    for warning in changes.warnings:
        if warning.code == DIFFERENT:
            console.print(Text(f"warning: {warning.text} {warning.remedy}", style="bold red"), soft_wrap=True)
    for cell in changes.cells:
        _render_cell(cell, console)
    console.print()
    for warning in changes.warnings:
        _indented(Text(f"! {warning.text} {warning.remedy}", style="yellow"), console)
    for sentence in (*changes.matched, *changes.missing):
        _indented(Text(sentence, style="dim"), console)
    _indented(
        Text(
            f"Before: {changes.before}, of {changes.started_before or 'an unknown time'}. After: "
            f"{changes.after}, of {changes.started_after or 'an unknown time'}. Everything else that "
            "changed between the runs is part of the difference.",
            style="dim",
        ),
        console,
    )
    _indented(Text(changes.headline, style="bold"), console)
    if changes.correction is not None:
        _indented(Text(changes.correction.words, style="dim"), console)


def _render_cell(cell: CellChange, console: Terminal) -> None:
    console.print()
    how = "paired by path seeds" if cell.paired else "unpaired"
    console.print(Text.assemble((cell.title, "bold"), (f"  medians, after against before · {how}", "dim")))
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    grid.add_column("arm", overflow="fold")
    grid.add_column("")
    for heading in ("before", "after", "ratio", "95 % interval"):
        grid.add_column(heading, justify="right", no_wrap=True)
    for change in cell.changes:
        grid.add_row(
            Text(change.arm, style="bold"),
            METRICS[change.metric],
            shown(change.before, change.metric),
            shown(change.after, change.metric),
            ratio(change.ratio, *change.ci95),
            interval(*change.ci95) if change.ratio is not None else "–",
        )
    _indented(grid, console)
    for change in cell.led():
        _indented(Text(change.words, style=COLOURS[change.verdict]), console)
    if cell.unpaired_blocks:
        said = f"Left out, because only one of the runs has them: {count(cell.unpaired_blocks, 'block')}."
        _indented(Text(said, style="dim"), console)


def _indented(what: Text | Table, console: Terminal) -> None:
    console.print(Padding(what, (0, 0, 0, 2), expand=False))
