"""A finished run on one screen of 24 lines: a bar for each comparison, the sentence, the name of the report,
and the one command that comes next."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from pronghorn.analysis.numbers import count, interval, ratio, seconds
from pronghorn.analysis.numbers import rate as per_second
from pronghorn.model.caution import Caution
from pronghorn.model.summary import HIGHER_IS_BETTER, CellSummary, Comparison, Summary
from pronghorn.report.colours import COLOURS
from pronghorn.terminal import Terminal

LINES = 24
"""The lines of a default terminal window; the last line is the shell's."""

_BAR = 7
"""The most characters of a bar, to each side."""

_FULL = math.log(4)
"""The logarithm of the ratio from which on a bar has its full length."""

_TITLE, _ARM = 26, 12
"""The longest name of a cell, and of an arm; longer ones are cut."""

_LEAST_TITLE = 8
"""What of a cell's name is shown however narrow the terminal is."""

_ROWS = 8
"""So many comparisons come before sentences are cut."""

_WIDE = 110
"""The columns from which on there is room for medians."""

_GRAVE = ("physics", "broken", "no-emulated-network")
"""The warnings whose remedy comes before everything else."""

_LEAST_FULL = math.log(1.25)


def render(summary: Summary, warnings: int, report: Path, then: str | None, console: Terminal) -> None:
    """Prints the summary of a run that has so many `warnings`, the name of its `report` and what comes
    `then`."""
    compared = [(cell, one) for cell in summary.cells for one in cell.led()]
    head, foot = list(_head(summary)), list(_foot(warnings, report, then))
    # One is empty, one has the headings, one is the shell's.
    free = LINES - 3 - sum(_height(line, console) for line in (*head, *foot))
    rows = min(len(compared), _ROWS)
    said = list(_fitting(_sentences(summary), max(1, free - rows), console))
    room = max(1, free - sum(_height(line, console) for line in said))
    shown = compared if len(compared) <= room else compared[: max(1, room - 1)]
    for line in head:
        console.print(line)
    if shown:
        console.print(_table(shown, summary, console.width))
    if len(shown) < len(compared):
        console.print(Text(f"… and {count(len(compared) - len(shown), 'more comparison')}", style="dim"))
    console.print()
    for line in (*said, *foot):
        console.print(line)


def _height(line: Text, console: Terminal) -> int:
    return len(line.wrap(console, console.width))


def _fitting(sentences: Sequence[Text], room: int, console: Terminal) -> Iterator[Text]:
    """As many sentences as there is room for, and how many more there are."""
    left = room
    for place, sentence in enumerate(sentences):
        rest = len(sentences) - place
        height = _height(sentence, console)
        if height > left - (rest > 1):
            yield Text(f"… and {count(rest, 'more sentence')} in the report", style="dim")
            return
        left -= height
        yield sentence


def next_command(summary: Summary, cautions: Sequence[Caution], run: Path, *, named: bool) -> str | None:
    """What is best done after a run, with its reason; `named` says whether its experiment was asked for by
    name. None where the first line says what to do."""
    if summary.unmeasured is not None:
        return None
    if grave := [one for one in cautions if one.code in _GRAVE]:
        return grave[0].remedy
    if any(one.verdict == "undecided" for cell in summary.cells for one in cell.led()):
        most = max((cell.blocks + cell.abandoned for cell in summary.cells), default=0)
        return f"More blocks may decide what is undecided: add --set repeat={max(20, 4 * most)}"
    if not named:
        return "For your own site: pronghorn new"
    return f"All figures: pronghorn report {run}"


def _head(summary: Summary) -> Iterator[Text]:
    for line in summary.first_lines():
        yield Text(line, style="bold red")
    yield Text(summary.name, style="bold")
    if summary.label:
        yield Text(f"! {summary.label}", style="bold yellow")


def _sentences(summary: Summary) -> list[Text]:
    """The headline, then which verdicts are one QUIC stack's, then what kernels and clocks do, the largest
    changes first."""
    found = [Text(sentence, style="bold") for sentence in summary.headline]
    found += [Text(pair.words, style="bold") for pair in summary.stacks if pair.is_the_stacks]
    if summary.kernels is not None:
        found += [Text(split.words) for split in summary.kernels.splits]
        changes = sorted(summary.kernels.changes, key=lambda one: one.verdict in ("same", "undecided"))
        found += [Text(change.words, style=COLOURS[change.verdict]) for change in changes]
    return found


def _foot(warnings: int, report: Path, then: str | None) -> Iterator[Text]:
    if warnings:
        yield Text(f"{count(warnings, 'warning')}: see the report, or run with --verbose", style="yellow")
    yield Text(f"Report: {report}")
    if then is not None:
        yield Text(then)


def _table(compared: Sequence[tuple[CellSummary, Comparison]], summary: Summary, width: int) -> Table:
    columns: dict[str, list[str]] = {
        f"{'slower':>{_BAR}}│{'faster':<{_BAR}}": [""],
        "": [one.verdict for _, one in compared],
        f"ratio to {summary.baseline} (95 %)": [_figures(one) for _, one in compared],
    }
    wide = width >= _WIDE
    if wide:
        columns["medians"] = [_medians(cell, one) for cell, one in compared]
    widths = {heading: max(len(text) for text in [heading, *texts]) for heading, texts in columns.items()}
    several = len(summary.arms) > 2
    arm = min(_ARM, max(len(one.arm) for _, one in compared)) if several else 0
    # Cells' names have what is left beside the others, each of which is two characters from the next.
    left = width - sum(widths.values()) - 2 * len(widths) - (arm + 2 if several else 0)
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    title = max(_LEAST_TITLE, min(_TITLE, left))
    table.add_column("", no_wrap=True, max_width=title)
    if several:
        table.add_column("", no_wrap=True, overflow="ellipsis", min_width=arm, max_width=arm)
    for heading, least in widths.items():
        table.add_column(heading, no_wrap=True, min_width=least)
    full = min(_FULL, max([_LEAST_FULL, *(abs(_length(one)) for _, one in compared)]))
    for cell, one in compared:
        colour = COLOURS[one.verdict]
        table.add_row(
            Text(_cut(cell.title, title)),
            *([Text(one.arm)] if several else []),
            Text(_bar(_length(one) / full), style=colour),
            Text(one.verdict, style=f"bold {colour}"),
            Text(_figures(one)),
            *([Text(_medians(cell, one), style="dim")] if wide else []),
        )
    return table


def _cut(title: str, width: int) -> str:
    """A cell's name, of which the end tells it from its neighbours."""
    return title if len(title) <= width else f"…{title[1 - width :]}"


def _length(one: Comparison) -> float:
    """The logarithm of how much better an arm is, negative where it is worse, cut at `_FULL`."""
    if one.ratio is None:
        return 0.0
    better = math.inf if one.ratio == 0 else -math.log(one.ratio)
    if one.metric in HIGHER_IS_BETTER:
        better = -better
    return max(-_FULL, min(_FULL, better))


def _bar(share: float) -> str:
    """A bar to the left where the arm is slower, to the right where it is faster."""
    filled = "█" * round(abs(share) * _BAR)
    slower, faster = (filled, "") if share < 0 else ("", filled)
    return f"{slower:>{_BAR}}│{faster:<{_BAR}}"


def _figures(one: Comparison) -> str:
    if one.ratio is None:
        return "–"
    around = "" if one.ci95 == (None, None) else f" ({interval(*one.ci95)})"
    return f"{ratio(one.ratio, *one.ci95)}{around}"


def _medians(cell: CellSummary, one: Comparison) -> str:
    said = per_second if one.metric in HIGHER_IS_BETTER else seconds
    mine, theirs = (said(cell.arms[arm].of(one.metric).median) for arm in (one.arm, one.baseline))
    return f"{mine} against {theirs}"
