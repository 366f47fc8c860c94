"""Live progress on stderr: a table that moves on a terminal, plain lines elsewhere."""

import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pronghorn.analysis.numbers import count
from pronghorn.analysis.titles import name_cells
from pronghorn.cli.tally import Tally
from pronghorn.execute.observer import Observer, Outlook
from pronghorn.execute.trial import Assignment
from pronghorn.model.trial import Cell, Trial, TrialKey
from pronghorn.terminal import Terminal

_PLAIN_EVERY_S = 10.0
_REFRESHES_PER_S = 2
_NAMED = 4


@contextmanager
def watching() -> Iterator[Observer]:
    """An observer which shows a run on stderr until the context ends."""
    console = Terminal(stderr=True)
    if not console.is_terminal:
        yield Plain()
        return
    live = OnTerminal(console)
    with live.display:
        yield live


class Plain:
    """Lines: at the start, every ten seconds, and at the end."""

    def __init__(self) -> None:
        self._tally: Tally | None = None
        self._stood: str | None = None
        self._said = time.monotonic()

    def begins(self, outlook: Outlook) -> None:
        """Says what lies ahead."""
        self._tally = Tally(outlook)
        self._say(_opening(outlook, self._tally))

    def starts(self, assignment: Assignment) -> None:
        """Says nothing."""

    def ends(self, trial: Trial) -> None:
        """Counts the trial, and says how far the run is where it is time for it."""
        if self._tally is None:
            return
        self._tally.record(trial)
        if self._tally.done >= self._tally.wanted:
            self._say(_standing(self._tally))
        elif time.monotonic() - self._said >= _PLAIN_EVERY_S:
            self._say(_standing(self._tally))
            if (first := _so_far(self._tally)) not in (None, self._stood):
                self._stood = first
                self._say(str(first))

    def settles(self, cell: Cell) -> None:
        """Counts no further blocks of it, and says how far the run is where that was the last of it."""
        if self._tally is None:
            return
        self._tally.settle(cell)
        if self._tally.done >= self._tally.wanted:
            self._say(_standing(self._tally))

    def warns(self, text: str) -> None:
        """Says it."""
        self._say(f"warning: {text}")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self._said = time.monotonic()


class OnTerminal:
    """A table of running medians above a bar, redrawn in place by a thread of its own."""

    def __init__(self, console: Terminal) -> None:
        self._tally: Tally | None = None
        self._running: dict[TrialKey, Assignment] = {}
        self._lock = threading.Lock()
        self.display = Live(
            console=console, get_renderable=self._render, refresh_per_second=_REFRESHES_PER_S, transient=True
        )

    def begins(self, outlook: Outlook) -> None:
        """Says what lies ahead and starts the table."""
        self._tally = Tally(outlook)
        self.display.console.print(Text(_opening(outlook, self._tally)))

    def starts(self, assignment: Assignment) -> None:
        """Shows the trial as running."""
        with self._lock:
            self._running[assignment.key] = assignment

    def ends(self, trial: Trial) -> None:
        """Counts the trial."""
        with self._lock:
            self._running.pop(trial.key, None)
            if self._tally is not None:
                self._tally.record(trial)

    def settles(self, cell: Cell) -> None:
        """Counts no further blocks of it."""
        with self._lock:
            if self._tally is not None:
                self._tally.settle(cell)

    def warns(self, text: str) -> None:
        """Prints it above the table."""
        self.display.console.print(Text(f"warning: {text}", style="yellow"))

    def _render(self) -> Group | Text:
        with self._lock:
            return Text("preparing") if self._tally is None else self._table(self._tally)

    def _table(self, tally: Tally) -> Group:
        table = Table(box=None, pad_edge=False)
        table.add_column("cell")
        table.add_column("trials", justify="right")
        for arm in tally.arms:
            table.add_column(f"{arm}, median", justify="right")
        titles = name_cells(tally.cells)
        for cell in tally.cells:
            done, wanted = tally.done_in(cell)
            medians = (Text(duration(tally.median_s(cell, arm))) for arm in tally.arms)
            table.add_row(Text(titles[cell]), f"{done}/{wanted}", *medians)
        now = ", ".join(f"{run.block.cell.path} {run.arm}" for run in self._running.values())
        first = _so_far(tally)
        standing = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(tally.wanted, 1), completed=tally.done, width=40)
        standing.add_row(bar, Text(_standing(tally)))
        so_far = [] if first is None else [Text(first, overflow="ellipsis", no_wrap=True)]
        return Group(
            table, *so_far, standing, Text(f"now: {now}", style="dim", overflow="ellipsis", no_wrap=True)
        )


def duration(seconds: float | None) -> str:
    """A time for reading: three digits and a unit; `-` where there is none yet."""
    if seconds is None:
        return "-"
    if math.isinf(seconds):
        return "failed"
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def _opening(outlook: Outlook, tally: Tally) -> str:
    cells = "1 cell" if len(tally.cells) == 1 else f"{len(tally.cells)} cells"
    earlier = f", {tally.done} of them recorded earlier" if outlook.recorded else ""
    return (
        f"{outlook.experiment.name}: {_wanted(tally)} trials in {cells}{earlier}; "
        f"{_about(tally)}; up to {outlook.jobs} side by side; seed {outlook.experiment.seed}"
    )


def _standing(tally: Tally) -> str:
    extras = [
        f"{number} {what}"
        for number, what in ((tally.failed, "failed"), (tally.contaminated, "contaminated"))
        if number
    ]
    return ", ".join([f"{tally.done} of {_wanted(tally)} trials", f"{_about(tally)} left", *extras])


def _so_far(tally: Tally) -> str | None:
    """How the arms stand, the largest differences first; None before there is anything to say."""
    found = sorted(tally.so_far(), key=lambda one: -abs(math.log(one.ratio)))
    if not found:
        return None
    titles = name_cells(tally.cells)
    parts = [f"{one.arm} {_as(one.ratio)} {tally.baseline} on {titles[one.cell]}" for one in found[:_NAMED]]
    more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    least, most = min(one.blocks for one in found), max(one.blocks for one in found)
    blocks = count(most, "block") if least == most else f"{least} to {most} blocks"
    return f"so far, after {blocks}, without a verdict: {', '.join(parts)}{more}"


def _as(ratio: float) -> str:
    """`12 % faster than`, `takes 2.3 times as long as`, `as fast as`."""
    if abs(ratio - 1) < 0.005:
        return "as fast as"
    if ratio >= 2:
        return f"takes {ratio:.1f} times as long as"
    return f"{100 * abs(1 - ratio):.0f} % {'faster' if ratio < 1 else 'slower'} than"


def _about(tally: Tally) -> str:
    left = tally.left_s()
    about = f"about {left / 60:.0f} min" if left >= 90 else f"about {left:.0f} s"
    return f"at most {about}" if tally.at_most and tally.done < tally.wanted else about


def _wanted(tally: Tally) -> str:
    more = "at most " if tally.at_most and tally.done < tally.wanted else ""
    return f"{more}{tally.wanted}"
