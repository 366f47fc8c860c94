"""How far a block has come: what its recorded trials leave to do. A run and its resumption read it alike."""

from collections.abc import Iterable
from typing import NamedTuple

from pronghorn.model.trial import Trial
from pronghorn.plan import Block
from pronghorn.trust import guard


class Standing(NamedTuple):
    """A block's current attempt and the arms already recorded in it; `over` when nothing is left to
    measure."""

    attempt: int
    recorded: frozenset[str]
    over: bool


def standing(block: Block, trials: Iterable[Trial], attempts: int) -> Standing:
    """Where `block` stands after its recorded `trials`, of which there may be so many `attempts`.

    A contaminated trial ends its attempt: the whole block is repeated, since repeating single trials would
    favour the arm that needs less CPU. The last attempt goes on to its end, so that every arm was loaded, and
    the block is kept out."""
    found = list(trials)
    attempt = max((trial.attempt for trial in found), default=0)
    current = [trial for trial in found if trial.attempt == attempt]
    if attempt + 1 < attempts and any(trial.status == "contaminated" for trial in current):
        return Standing(attempt + 1, frozenset(), False)
    recorded = frozenset(trial.arm for trial in current)
    return Standing(attempt, recorded, recorded >= set(block.order))


def stolen_from(trials: Iterable[Trial]) -> bool:
    """Whether others' use of the CPU, and nothing else, spoilt the last attempt among a block's `trials`."""
    found = list(trials)
    last = max((trial.attempt for trial in found), default=0)
    spoilt = {trial.reason for trial in found if trial.attempt == last and trial.status == "contaminated"}
    return spoilt == {guard.STEAL}
