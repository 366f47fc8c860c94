"""What discarded trials mean for the comparison."""

import numpy as np
from scipy.stats import fisher_exact

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.numbers import count, listed

SUSPICION = 0.01


def notes(cell: CellTrials) -> list[str]:
    """Sentences on a cell's contaminated trials, blocks lost to them, and blocks that aren't complete."""
    said: list[str] = []
    total = sum(cell.contaminated.values())
    if total:
        by_arm = listed(
            [f"{arm} {cell.contaminated.get(arm, 0)} of {cell.attempted.get(arm, 0)}" for arm in cell.arms]
        )
        reasons = ", ".join(f"{reason} {number}" for reason, number in cell.contamination_reasons.items())
        said.append(
            f"Contaminated and repeated with their blocks: {count(total, 'trial')} ({reasons}); {by_arm}."
        )
    said.extend(
        f"{arm} and {other} were contaminated unequally often (Fisher's exact test, p < {SUSPICION}): "
        "the host may be too weak for one of them; run fewer trials side by side (--jobs)."
        for arm, other in _unequal(cell)
    )
    if cell.abandoned:
        said.append(f"Left out, since no attempt was uncontaminated: {count(cell.abandoned, 'block')}.")
    if cell.incomplete:
        said.append(f"Left out, since not every arm has a trial: {count(cell.incomplete, 'block')}.")
    return said


def _unequal(cell: CellTrials) -> list[tuple[str, str]]:
    pairs = [(arm, other) for place, arm in enumerate(cell.arms) for other in cell.arms[place + 1 :]]
    return [pair for pair in pairs if _p(cell, *pair) < SUSPICION]


def _p(cell: CellTrials, arm: str, other: str) -> float:
    table = np.array(
        [
            [cell.contaminated.get(name, 0), cell.attempted.get(name, 0) - cell.contaminated.get(name, 0)]
            for name in (arm, other)
        ]
    )
    return float(fisher_exact(table).pvalue)
