"""Whether a run measured anything at all; if not, why, and what to do about it."""

from collections.abc import Sequence

from pronghorn.analysis import mends
from pronghorn.analysis.failing import commonest_of, with_detail
from pronghorn.analysis.numbers import count, listed
from pronghorn.model import load
from pronghorn.model.knobs import OUR_CLIENT
from pronghorn.model.loaded import Failure, Unmeasured
from pronghorn.model.path import DIRECT
from pronghorn.model.summary import ArmSummary, CellSummary


def unmeasured(cells: Sequence[CellSummary], baseline: str, *, virtual: bool = False) -> Unmeasured | None:
    """Why a run of these cells, in `virtual` time or not, has measured nothing: no cell has a verdict, nor
    two arms of which each measured something. None where one has."""
    if any(_says_something(cell, baseline) for cell in cells):
        return None
    arms = [(name, arm) for cell in cells for name, arm in cell.arms.items()]
    tried = sum(arm.n for _, arm in arms)
    return _of_failures(arms) if tried else _of_discards(cells, arms, virtual)


def _says_something(cell: CellSummary, baseline: str) -> bool:
    if any(one.verdict != "undecided" for one in cell.led()):
        return True
    others = [arm.measured for name, arm in cell.arms.items() if name != baseline]
    return cell.arms[baseline].measured and (any(others) or not others)


def _of_failures(arms: Sequence[tuple[str, ArmSummary]]) -> Unmeasured:
    names = list(dict.fromkeys(name for name, _ in arms))
    never = [name for name in names if not any(arm.measured for other, arm in arms if other == name)]
    mine = [arm for name, arm in arms if name in (never or names)]
    failed, n = sum(arm.failed for arm in mine), sum(arm.n for arm in mine)
    most = commonest_of([arm.failure for arm in mine])
    if most is None:
        return Unmeasured(
            text=f"Nothing could be measured: {listed(never)} made no request, because the cache held the "
            "whole page.",
            remedy="Make clients request the document again: --set cache_control=no-cache",
        )
    others = [name for name in names if name not in never]
    who = f"{listed(never)} never loaded" if never else "in no cell did both arms of a comparison load"
    return Unmeasured(
        text=f"Nothing could be measured: {who}. {failed} of {count(n, 'trial')} failed, "
        f"{_most(most, failed)} {with_detail(most)}.",
        remedy=mends.of_failure(most, never, others),
    )


def _most(most: Failure, failed: int) -> str:
    return "all by" if most.trials == failed else f"{most.trials} of them by"


def _runs_virtually(cell: CellSummary) -> bool:
    """Whether virtual time can run the cell's trials (docs/virtual-time.md)."""
    return cell.client in (OUR_CLIENT, load.CLIENT) and cell.path != DIRECT


def _of_discards(
    cells: Sequence[CellSummary], arms: Sequence[tuple[str, ArmSummary]], virtual: bool
) -> Unmeasured:
    discarded = sum(arm.contaminated for _, arm in arms)
    most = commonest_of([arm.discard for _, arm in arms])
    if most is None:
        return Unmeasured(
            text="Nothing could be measured: no block has a trial of every arm.",
            remedy="Continue the run: pronghorn run --resume RUN",
        )
    blocks = sum(cell.abandoned + cell.incomplete for cell in cells)
    rejected = "the only block was" if blocks == 1 else f"all {blocks} blocks were"
    spoilt = f"{count(discarded, 'trial')} were contaminated, {_most(most, discarded)} {with_detail(most)}"
    return Unmeasured(
        text=f"Nothing could be measured: {rejected} rejected. {spoilt}.",
        remedy=mends.of_discards(most.reason, virtual=not virtual and all(map(_runs_virtually, cells))),
    )
