"""How many arms changed at all, corrected for the number of comparisons: as between arms of one run
(`analysis/correction.py`), with tests for two runs.

Of blocks that are paired, Wilcoxon's signed-rank test; of others the rank-sum test of Mann & Whitney, "On a
test of whether one of two random variables is stochastically larger than the other", Annals of Mathematical
Statistics 18 (1947).
"""

from collections.abc import Sequence

import numpy as np

from pronghorn.analysis import rank_test
from pronghorn.analysis.correction import RATE, q_of
from pronghorn.analysis.numbers import count, listed, percent
from pronghorn.analysis.times import Times
from pronghorn.model.changes import CellChange
from pronghorn.model.summary import Correction

_NAMED = 6


def p_value(before: Times, after: Times, *, paired: bool) -> float | None:
    """The two-sided p-value that nothing changed; None where a run has no blocks. The values are one a block,
    +inf for a failed load, and where they are `paired` in the same order."""
    if paired or not len(before) or not len(after):
        return rank_test.p_value(after, before) if paired else None
    if len(np.unique(np.concatenate([before, after]))) == 1:
        return 1.0
    # Half a second that comparisons of paired runs do without.
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(after, before).pvalue)


def corrected(cells: Sequence[CellChange]) -> list[CellChange]:
    """The cells with the q-values of the changes that decide."""
    tested = [one.p_value for cell in cells for one in cell.led() if one.p_value is not None]
    q_values = iter(q_of(tested))

    def with_q(cell: CellChange) -> CellChange:
        changes = [
            one.model_copy(update={"q_value": next(q_values)})
            if one.metric == cell.leading and one.p_value is not None
            else one
            for one in cell.changes
        ]
        return cell.model_copy(update={"changes": changes})

    return [with_q(cell) for cell in cells]


def correction(cells: Sequence[CellChange]) -> Correction | None:
    """What the correction says of `cells`, which have their q-values; None where fewer than two changes were
    tested."""
    tested = [(cell, one) for cell in cells for one in cell.led() if one.q_value is not None]
    if len(tested) < 2:
        return None
    decided = [(cell, one) for cell, one in tested if one.verdict in ("faster", "slower")]
    differ = [(cell, one) for cell, one in tested if one.q_value is not None and one.q_value <= RATE]
    others = [
        f"{one.arm} on {cell.title.replace(', ', '/')}" for cell, one in decided if (cell, one) not in differ
    ]
    say = "say" if len(decided) > 1 else "says"
    words = (
        f"{len(decided) or 'None'} of {count(len(tested), 'verdict')} {say} that something changed. A "
        "rank test asks another question: whether anything changed at all, even by less than the margin. "
        "Corrected for the number of comparisons (Benjamini and Hochberg), it finds a change in "
        f"{len(differ) or 'none'} of {len(tested)} (q at most {percent(RATE)})"
    )
    if others:
        named = [*others[:_NAMED], *([f"{len(others) - _NAMED} more"] if len(others) > _NAMED else [])]
        yet, whose = "but not" if differ else "not even", "its" if len(others) == 1 else "their"
        words = f"{words}, {yet} in {listed(named)}, although {whose} verdict names one"
    return Correction(
        comparisons=len(tested),
        decided=len(decided),
        differ=len(differ),
        held=len(decided) - len(others),
        rate=RATE,
        words=f"{words}.",
    )
