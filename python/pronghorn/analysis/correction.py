"""Many comparisons at once: which of a run's verdicts stand after a correction for their number.

Benjamini & Hochberg, "Controlling the false discovery rate" (1995): of the comparisons with q of at most
5 %, at most one in twenty is expected to be of arms that are alike. It holds for tests that depend on each
other as arms with one baseline do (Benjamini & Yekutieli 2001).
"""

from collections.abc import Sequence

import numpy as np

from pronghorn.analysis.numbers import count, listed, percent
from pronghorn.model.summary import CellSummary, Comparison, Correction

RATE = 0.05
_NAMED = 6


def corrected(cells: Sequence[CellSummary]) -> list[CellSummary]:
    """The cells with the q-values of the comparisons that decide."""
    tested = [one.p_value for cell in cells for one in cell.led() if one.p_value is not None]
    q_values = iter(q_of(tested))

    def with_q(cell: CellSummary) -> CellSummary:
        leading = (cell.leading, "median")
        comparisons = [
            one.model_copy(update={"q_value": next(q_values)})
            if (one.metric, one.statistic) == leading and one.p_value is not None
            else one
            for one in cell.comparisons
        ]
        return cell.model_copy(update={"comparisons": comparisons})

    return [with_q(cell) for cell in cells]


def q_of(p_values: Sequence[float]) -> list[float]:
    """Each p-value corrected for their number: the least rate of false discoveries at which it counts as
    one."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return [float(value) for value in np.minimum(q, 1.0)]


def correction(cells: Sequence[CellSummary]) -> Correction | None:
    """What the correction leaves of the verdicts of `cells`, which have their q-values; None where fewer than
    two comparisons were tested."""
    tested = [(cell, one) for cell in cells for one in cell.led() if one.q_value is not None]
    if len(tested) < 2:
        return None
    decided = [(cell, one) for cell, one in tested if one.verdict in ("faster", "slower")]
    doubtful = [(cell, one) for cell, one in decided if not _holds(one)]
    return Correction(
        comparisons=len(tested),
        decided=len(decided),
        held=len(decided) - len(doubtful),
        rate=RATE,
        words=_words(len(tested), len(decided), doubtful),
    )


def _holds(one: Comparison) -> bool:
    return one.q_value is not None and one.q_value <= RATE


def _words(tested: int, decided: int, doubtful: Sequence[tuple[CellSummary, Comparison]]) -> str:
    said = f"{decided or 'None'} of {count(tested, 'comparison')} told the arms apart"
    if not decided:
        return f"{said}; there is nothing to correct for their number."
    how = f"corrected for their number after Benjamini and Hochberg (rank test, q at most {percent(RATE)})"
    held = decided - len(doubtful)
    if not doubtful:
        return f"{said}; {how}, {'it stands' if held == 1 else f'all {held} stand'}."
    named = [f"{one.arm} on {cell.title.replace(', ', '/')}" for cell, one in doubtful[:_NAMED]]
    if len(doubtful) > _NAMED:
        named.append(f"{len(doubtful) - _NAMED} more")
    others = f"{listed(named)} {'does' if len(doubtful) == 1 else 'do'} not"
    if not held:
        return f"{said}; {how}, {others} stand."
    return f"{said}; {how}, {held} {'stands' if held == 1 else 'stand'}; {others}."
