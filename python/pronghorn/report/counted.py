"""The trials that a report is about: those that count, by cell and arm."""

from collections.abc import Sequence

from pronghorn.analysis.blocks import select
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, Trial

ByArm = dict[str, list[Trial]]


def counted(summary: Summary, trials: Sequence[Trial]) -> dict[Cell, ByArm]:
    """Of each of the summary's cells, in their order, every arm's trials, block after block; those without
    any too."""
    found = select(trials, summary.arms)
    return {
        cell.cell: {arm: found[cell.cell].of(arm) if cell.cell in found else [] for arm in summary.arms}
        for cell in summary.cells
    }
