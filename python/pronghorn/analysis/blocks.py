"""Which trials the statistics rest on: the final attempts of complete, uncontaminated blocks.

A block whose attempt holds a contaminated trial is repeated as a whole. Taking single trials out instead
would favour the arm that asks less of the host, since its trials are contaminated less often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pronghorn.model.trial import MOST_ATTEMPTS, Cell, Trial

Block = dict[str, Trial]


@dataclass(frozen=True)
class CellTrials:
    """One cell's trials, sorted: `blocks` in their order, each with one trial of every arm. Of the
    `abandoned` ones some may be `unrepeated`, in a run that was cut. `discarded` are the contaminated ones,
    by their arm; `recorded` are all, whether they count or not."""

    cell: Cell
    arms: tuple[str, ...]
    blocks: tuple[Block, ...]
    abandoned: int = 0
    unrepeated: int = 0
    incomplete: int = 0
    contaminated: dict[str, int] = field(default_factory=dict)
    contamination_reasons: dict[str, int] = field(default_factory=dict)
    discarded: dict[str, list[Trial]] = field(default_factory=dict)
    attempted: dict[str, int] = field(default_factory=dict)
    recorded: tuple[Trial, ...] = ()

    def of(self, arm: str) -> list[Trial]:
        """The arm's trials, one a block, in the blocks' order."""
        return [block[arm] for block in self.blocks]


def select(
    trials: Sequence[Trial], arms: Sequence[str], attempts: int = MOST_ATTEMPTS
) -> dict[Cell, CellTrials]:
    """Sorts a run's trials into cells and blocks; trials of arms that aren't in `arms` are left out. There
    may have been so many `attempts` at a block.

    Of a trial recorded twice under one identity, the last counts.
    """
    cells: dict[Cell, dict[int, dict[int, Block]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(dict))
    )
    wanted = set(arms)
    for trial in trials:
        if trial.arm in wanted:
            cells[trial.cell][trial.block][trial.attempt][trial.arm] = trial
    return {cell: _sort(cell, blocks, arms, attempts) for cell, blocks in cells.items()}


def _sort(cell: Cell, blocks: dict[int, dict[int, Block]], arms: Sequence[str], most: int) -> CellTrials:
    complete: list[Block] = []
    abandoned = incomplete = unrepeated = 0
    discarded: dict[str, list[Trial]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    attempted: Counter[str] = Counter()
    for number in sorted(blocks):
        attempts = blocks[number]
        for trial in (trial for attempt in attempts.values() for trial in attempt.values()):
            attempted[trial.arm] += 1
            if trial.status == "contaminated":
                discarded[trial.arm].append(trial)
                reasons[trial.reason or "not said"] += 1
        final = attempts[max(attempts)]
        if any(trial.status == "contaminated" for trial in final.values()):
            abandoned += 1
            unrepeated += max(attempts) + 1 < most
        elif set(final) != set(arms):
            incomplete += 1
        else:
            complete.append(final)
    return CellTrials(
        cell=cell,
        arms=tuple(arms),
        blocks=tuple(complete),
        abandoned=abandoned,
        unrepeated=unrepeated,
        incomplete=incomplete,
        contaminated={arm: len(found) for arm, found in discarded.items()},
        contamination_reasons=dict(sorted(reasons.items())),
        discarded=dict(discarded),
        attempted=dict(attempted),
        recorded=tuple(
            trial
            for number in sorted(blocks)
            for attempt in blocks[number].values()
            for trial in attempt.values()
        ),
    )


def by_block(trials: Iterable[Trial]) -> dict[tuple[Cell, int], list[Trial]]:
    """Trials by their block."""
    blocks: dict[tuple[Cell, int], list[Trial]] = {}
    for trial in trials:
        blocks.setdefault((trial.cell, trial.block), []).append(trial)
    return blocks
