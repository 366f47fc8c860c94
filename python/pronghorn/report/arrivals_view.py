"""What a report draws of its cells' arrivals: handshake ladders, and timelines of what waited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pronghorn.analysis.numbers import count
from pronghorn.model.load import CLIENT as LOAD
from pronghorn.model.path import DIRECT
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Cell, Trial
from pronghorn.report.arrived import has_arrivals
from pronghorn.report.ladder import Ladders, ladders
from pronghorn.report.timeline import Timeline, timeline

MOST_CELLS = 12
"""The most cells whose arrivals are drawn, so that a report of very many cells still opens."""

_HOW_TO = (
    "This run kept no arrivals. Handshake ladders and head-of-line timelines need them: pronghorn run … "
    "--set 'artifacts=[\"arrivals\"]'"
)


@dataclass(frozen=True)
class ArrivalsView:
    """A cell's two drawings; None is what there is nothing to be drawn of."""

    ladders: Ladders | None
    timeline: Timeline | None


@dataclass(frozen=True)
class ArrivalsViews:
    """The drawings by cell, and what there is to be said of cells without."""

    of: dict[Cell, ArrivalsView]
    note: str | None

    @property
    def moves(self) -> bool:
        """Whether a script has something to move."""
        return any(view.timeline is not None and view.timeline.panels for view in self.of.values())


def arrivals_views(
    cells: Sequence[CellSummary], trials: Mapping[Cell, Mapping[str, Sequence[Trial]]], run: Path | None
) -> ArrivalsViews:
    """The views of the first cells that left arrivals, at most `MOST_CELLS`, out of the run's directory, if
    there is one; `trials` stand by cell and arm."""
    having = [
        cell
        for cell in cells
        if any(has_arrivals(trial) for mine in trials[cell.cell].values() for trial in mine)
    ]
    return ArrivalsViews(
        of={
            cell.cell: ArrivalsView(
                ladders(cell, trials[cell.cell], run), timeline(cell, trials[cell.cell], run)
            )
            for cell in having[:MOST_CELLS]
            if run is not None
        },
        note=_note([cell for cell in cells if any(trials[cell.cell].values())], len(having)),
    )


def _note(cells: Sequence[CellSummary], having: int) -> str | None:
    """What is to be said where of `cells`, which have trials, only `having` left arrivals."""
    emulated = any(cell.path != DIRECT and cell.client != LOAD for cell in cells)
    if emulated and not having:
        return _HOW_TO
    if having > MOST_CELLS:
        more = count(having - MOST_CELLS, "more cell")
        return (
            f"Handshakes and timelines are drawn for the first {count(MOST_CELLS, 'cell')} with "
            f"arrivals. Those of {more} are only in the run's directory."
        )
    return None
