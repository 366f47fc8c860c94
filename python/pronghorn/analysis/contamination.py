"""What discarded trials mean for the comparison."""

from itertools import combinations

import numpy as np

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.numbers import count, listed

SUSPICION = 0.01
"""Below this p, two arms count as discarded unequally often."""


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
            f"{count(total, 'trial')} contaminated ({reasons}) and repeated with the whole block: {by_arm}."
        )
    said.extend(
        f"{arm} and {other} were contaminated unequally often (Fisher's exact test, p < {SUSPICION}). "
        "The host may be too weak for one of them. Run fewer trials side by side (--jobs)."
        for arm, other in _unequal(cell)
    )
    if cell.abandoned:
        said.append(f"Left out because every attempt was contaminated: {count(cell.abandoned, 'block')}.")
    if cell.incomplete:
        said.append(f"Left out because not every arm has a trial: {count(cell.incomplete, 'block')}.")
    return said


def p_of_discards(discarded: tuple[int, int], attempted: tuple[int, int]) -> float:
    """How often two arms that are discarded alike would differ by so much or more in discarded of attempted
    trials: Fisher's exact test, two-sided."""
    if not any(discarded):
        return 1.0
    # Half a second that most runs, without a discarded trial, do without.
    from scipy.stats import fisher_exact

    table = np.array([discarded, np.subtract(attempted, discarded)])
    return float(fisher_exact(table).pvalue)


def _unequal(cell: CellTrials) -> list[tuple[str, str]]:
    def p(pair: tuple[str, str]) -> float:
        one, other = pair
        return p_of_discards(
            (cell.contaminated.get(one, 0), cell.contaminated.get(other, 0)),
            (cell.attempted.get(one, 0), cell.attempted.get(other, 0)),
        )

    return [pair for pair in combinations(cell.arms, 2) if p(pair) < SUSPICION]
