"""Trials whose times depend on their block and arm alone, and who watches them."""

import numpy as np

from pronghorn.execute.observer import Outlook
from pronghorn.execute.trial import Assignment
from pronghorn.model.trial import Cell, Metrics, Trial
from pronghorn.plan import Block

RATIOS = {"plain": 0.5, "near": 0.9, "open": 0.97}
"""How h3's times compare with h2's on each path."""


class Watcher:
    """Notes which cells get no further blocks."""

    def __init__(self) -> None:
        self.settled: list[Cell] = []

    def begins(self, outlook: Outlook) -> None: ...

    def starts(self, assignment: Assignment) -> None: ...

    def ends(self, trial: Trial) -> None: ...

    def settles(self, cell: Cell) -> None:
        self.settled.append(cell)

    def warns(self, text: str) -> None: ...


def measured(block: Block, arm: str, attempt: int) -> Trial:
    """A trial whose time depends on its block and arm alone."""
    rng = np.random.default_rng([block.path_seed, len(arm), arm == "h3"])
    time = float(np.exp(0.1 * rng.standard_normal())) * (RATIOS[block.cell.path] if arm == "h3" else 1.0)
    return Trial(
        cell=block.cell,
        arm=arm,
        block=block.number,
        attempt=attempt,
        position=block.order.index(arm),
        path_seed=block.path_seed,
        slot=0,
        started="2026-01-01T00:00:00.000Z",
        status="ok",
        metrics=Metrics(load_s=time, ttfb_s=time / 2),
    )
