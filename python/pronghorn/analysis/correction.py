"""Many comparisons at once: how many of a run's arms differ at all after a correction for their number.

Benjamini & Hochberg, "Controlling the false discovery rate" (1995): of the comparisons with q of at most
5 %, at most one in twenty is expected to be of arms that are alike. The tests depend on each other, since
arms share a baseline; Benjamini & Yekutieli (2001) show that it holds for such one-sided tests, and for
two-sided ones as here it holds approximately.

The test asks whether the arms differ, however little; a verdict asks whether they differ by more than the
margin. So q says nothing of how many verdicts are wrong.
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


def correction(cells: Sequence[CellSummary], looks: Sequence[int]) -> Correction | None:
    """What the correction says of `cells`, which have their q-values and were looked at so many times each;
    None where fewer than two comparisons were tested."""
    tested = [(cell, one) for cell in cells for one in cell.led() if one.q_value is not None]
    if len(tested) < 2:
        return None
    decided = [(cell, one) for cell, one in tested if one.verdict in ("faster", "slower")]
    others = [(cell, one) for cell, one in decided if not _differs(one)]
    differ = sum(_differs(one) for _, one in tested)
    said = [_words(len(tested), len(decided), differ, others), _too_few(cells, looks, len(tested))]
    return Correction(
        comparisons=len(tested),
        decided=len(decided),
        differ=differ,
        held=len(decided) - len(others),
        rate=RATE,
        words=" ".join(filter(None, said)),
    )


def _differs(one: Comparison) -> bool:
    return one.q_value is not None and one.q_value <= RATE


def _words(tested: int, decided: int, differ: int, others: Sequence[tuple[CellSummary, Comparison]]) -> str:
    said = (
        f"{decided or 'None'} of {count(tested, 'verdict')} {'name' if decided > 1 else 'names'} a "
        "faster arm. A rank test asks another question: whether arms differ at all, even by less than "
        "the margin. Corrected for the number of comparisons (Benjamini and Hochberg), it finds a "
        f"difference in {differ or 'none'} of {tested} (q at most {percent(RATE)})"
    )
    if not others:
        return f"{said}."
    named = [f"{one.arm} on {cell.title.replace(', ', '/')}" for cell, one in others[:_NAMED]]
    if len(others) > _NAMED:
        named.append(f"{len(others) - _NAMED} more")
    yet = "but not" if differ else "not even"
    return (
        f"{said}, {yet} in {listed(named)}, although {'its' if len(others) == 1 else 'their'} verdict "
        "names one"
    )


def _too_few(cells: Sequence[CellSummary], looks: Sequence[int], tested: int) -> str:
    """Of which cells the blocks can't tell a difference that is the only one: the least p of n blocks is
    2 · 0.5**n, times the looks, and the least q of a p that is the least of all is p times their number."""
    least = {
        cell.blocks: min(1.0, number * 2 * 0.5**cell.blocks * tested)
        for cell, number in zip(cells, looks, strict=True)
        if any(one.q_value is not None for one in cell.led())
    }
    few = [blocks for blocks, q in least.items() if q > RATE]
    if not few:
        return ""
    blocks = count(few[0], "block") if len(few) == 1 else f"{min(few)} to {max(few)} blocks"
    if len(few) < len(least):
        blocks = f"Where there are only {blocks}, these"
    return (
        f"{blocks} {'is' if few == [1] and len(least) == 1 else 'are'} too few for a correction over "
        f"{count(tested, 'comparison')}: an arm that alone differs has q of at least "
        f"{percent(min(least[number] for number in few))}."
    )
