"""When a cell that is sampled until its answer is known may stop, and what that saved.

A cell is looked at after numbers of blocks that were laid down beforehand (`sequential.py`). Its intervals
are each as wide as their look asks, so that they hold at whichever look the sampling stops.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import CONFIDENCE, Estimate
from pronghorn.analysis.numbers import count
from pronghorn.analysis.sequential import Boundary
from pronghorn.model.sampling import Sampling
from pronghorn.model.summary import CellSummary, Stopping, StopReason, Verdict


class Stage(NamedTuple):
    """Where a cell's sampling stands: at a `look`, in blocks (None: between two, or the number of blocks was
    fixed), of so many `looks`; the `confidence` of each of its intervals by itself; why they can't be had
    yet; and whether another look would be `late`, beyond the time that the experiment gives a cell."""

    look: int | None = None
    looks: int = 1
    confidence: float = CONFIDENCE
    pending: str | None = None
    late: bool = False


FIXED = Stage()
"""The stage of a cell whose number of blocks was fixed beforehand."""


def stage(trials: CellTrials, sampling: Sampling | None, limit_s: float = math.inf) -> Stage:
    """Where a cell's sampling stands after its `trials`; blocks that were kept out count as taken. `limit_s`
    is how long a load may take, and a failed one counts as having taken."""
    if sampling is None:
        return FIXED
    boundary = Boundary.between(sampling.least, sampling.most)
    begun = len(trials.blocks) + trials.abandoned + trials.incomplete
    if begun in boundary.looks and not trials.incomplete and not trials.unrepeated:
        late = _late(trials, sampling, boundary, limit_s)
        return Stage(begun, len(boundary.looks), boundary.confidence(begun), late=late)
    following = boundary.next_after(begun - 1) or boundary.looks[-1]
    return Stage(
        confidence=boundary.confidence(following),
        pending=f"between two looks; the next comes after {following} blocks",
    )


def _late(trials: CellTrials, sampling: Sampling, boundary: Boundary, limit_s: float) -> bool:
    """Whether the blocks until the next look would take a cell's loads beyond its time.

    The blocks of a round are counted as if they ran side by side, and after them those that are repeated: the
    longest of each attempt in each round so far, and for the next round the longest of all. So it hangs on
    what was measured alone, and a run that was cut, or on a slower host, takes the same blocks."""
    if sampling.within_s is None or not trials.recorded:
        return False
    lasted_s: dict[tuple[int, int], float] = defaultdict(float)
    for trial in trials.recorded:
        load_s = trial.metrics.load_s
        lasted_s[trial.block, trial.attempt] += limit_s if load_s is None else load_s
    longest_s: dict[tuple[int | None, int], float] = defaultdict(float)
    for (block, attempt), time_s in lasted_s.items():
        of = boundary.next_after(block), attempt
        longest_s[of] = max(longest_s[of], time_s)
    return sum(longest_s.values()) + max(longest_s.values()) > sampling.within_s


def reason(
    sampling: Sampling, led: Sequence[tuple[Verdict, Estimate]], *, late: bool = False
) -> StopReason | None:
    """Why a cell may stop, given the comparisons that lead; None: its rule doesn't hold yet, nor would
    another look be `late`.

    Each comparison has an error of its own, as with a fixed number of blocks: the looks share it, the arms
    don't."""
    patience: StopReason | None = "time" if late else None
    if sampling.half_width is None:
        return patience if any(verdict == "undecided" for verdict, _ in led) else "decided"
    widths = [(found.high - found.low) / 2 for _, found in led]
    precise = all(math.isfinite(width) and width < sampling.half_width for width in widths)
    return "precise" if precise else patience


def told(cell: CellSummary, sampling: Sampling | None, at: Stage) -> CellSummary:
    """The summary of a cell that stands `at` a stage, with how its sampling ended, where it has."""
    ended = _ended(cell, sampling, at)
    if ended is None:
        return cell
    return cell.model_copy(update={"stopping": ended, "notes": [words(ended), *cell.notes]})


def _ended(cell: CellSummary, sampling: Sampling | None, at: Stage) -> Stopping | None:
    if sampling is None or at.look is None:
        return None
    led = [
        (one.verdict, Estimate(*(math.inf if end is None else end for end in (one.ratio, *one.ci95))))
        for one in cell.led()
    ]
    why = reason(sampling, led, late=at.late and at.look < sampling.most)
    if why is None and at.look == sampling.most:
        why = "max"
    if why is None:
        return None
    return Stopping(
        rule=sampling.until,
        reason=why,
        blocks=at.look,
        saved=sampling.most - at.look,
        look_confidence=at.confidence,
    )


def words(found: Stopping) -> str:
    """How a cell's sampling ended, in a sentence or two."""
    most = found.blocks + found.saved
    rule = "every verdict was decided" if found.rule == "decided" else f"every interval had {found.rule}"
    if found.reason == "max":
        said = f"Sampling reached its maximum of {most} blocks before {rule}."
    elif found.reason == "time":
        said = (
            f"Sampling stopped after {found.blocks} of at most {most} blocks before {rule}, because the next "
            "look would have come after the time that the experiment gives a cell (`within`)."
        )
    elif found.saved:
        share = _share(found.saved, most)
        said = (
            f"Sampling stopped after {found.blocks} of at most {most} blocks, when {rule}. It saved "
            f"{count(found.saved, 'block')} ({share})."
        )
    else:
        said = f"The rule was met only at the last of {most} blocks ({rule}), so no block was saved."
    return f"{said} The intervals are valid at whichever look sampling stops."


def saved(cells: Sequence[CellSummary]) -> list[str]:
    """What sampling until the answer is known saved in a run, in a sentence; none where nothing was sampled
    so, or not to its end."""
    ends = [cell.stopping for cell in cells if cell.stopping is not None]
    if not ends or len(ends) < len(cells):
        return []
    decided = [end for end in ends if end.reason != "time"]
    spared = sum(end.saved for end in decided)
    most = sum(end.blocks + end.saved for end in ends)
    early = sum(end.saved > 0 for end in decided)
    late = sum(end.reason == "time" for end in ends)
    out_of_time = f" {count(late, 'more cell')} ran out of time (`within`)." if late else ""
    return [
        f"Sampled until {ends[0].rule}: {early} of {count(len(ends), 'cell')} stopped early, which saved "
        f"{spared} of {count(most, 'block')} ({_share(spared, most)}).{out_of_time}"
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"
