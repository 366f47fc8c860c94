"""Why a trial took as long as it did: its arrivals are asked for, read, and divided into parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pronghorn import why
from pronghorn.model import arrivals
from pronghorn.model.artifacts import ARRIVALS, ARRIVALS_FILE
from pronghorn.model.load import CLIENT
from pronghorn.model.trial import PageLoad
from pronghorn.model.why import Why

if TYPE_CHECKING:
    from pronghorn.execute.stage import Plot


def file_of(plot: Plot) -> Path | None:
    """Where the engine writes what the path saw of a plot's load; None where nothing is asked for."""
    if missing(plot) is not None:
        return None
    if (kept := plot.artifacts.file(ARRIVALS)) is not None:
        return kept
    plot.folder.mkdir(parents=True, exist_ok=True)
    return (plot.folder / ARRIVALS_FILE).absolute()


def missing(plot: Plot) -> str | None:
    """Why there are no arrivals of a plot's loads, as a clause, or None."""
    if plot.cell.client == CLIENT:
        return "it is a load of many requests, not a page's"
    if plot.experiment.path(plot.cell.path).spec is None:
        return "the path is not emulated, so nobody sees its packets"
    if plot.experiment.kept:
        return "state is kept over loads, and only a bench's last load has its packets recorded"
    return None


def why_of(plot: Plot, page: PageLoad) -> Why:
    """The parts of a load that was made on a plot's stage, which is closed."""
    reason, found = missing(plot), None
    if reason is None and (file := file_of(plot)) is not None:
        try:
            found = arrivals.read(file, file.name)
        except arrivals.Unreadable as unreadable:
            reason = str(unreadable)
    figures = plot.experiment.path(plot.cell.path).down_figures
    return why.divide(page, found, down_bit_per_s=figures.mean_rate_bit_per_s, missing=reason)
