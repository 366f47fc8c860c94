"""Which requests went over what, in arms whose client finds its way to HTTP/3 by itself."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.numbers import count, ratio
from pronghorn.analysis.protocols import protocols_of
from pronghorn.analysis.times import has_failed
from pronghorn.model.trial import Trial

DISCOVERY = "~"
"""What an arm's name contains if its client has to find out about HTTP/3."""


class Fallback(NamedTuple):
    """Requests that did not go over HTTP/3, of all that were answered in `loads` loads; in `none_in` of these
    none did. `cost` is the median load time of such loads over that of the arm `beside` in the same blocks,
    None where either can't be had."""

    requests: int
    of: int
    none_in: int
    loads: int
    beside: str | None
    cost: float | None

    def words(self) -> str:
        """The clause that follows the arm's name."""
        requests, loads = count(self.of, "request"), count(self.loads, "load")
        said = f"{self.requests} of {requests} in {loads} did not go over HTTP/3"
        if self.none_in:
            said += f"; {self.none_in} of the loads used no HTTP/3 at all"
        if self.cost is not None:
            said += f" and took {ratio(self.cost)} times as long as {self.beside}'s (median, same blocks)"
        return said


def fallback(trials: CellTrials, arm: str, beside: str | None) -> Fallback:
    """How far an arm's loads came without HTTP/3, and how long those that never came to it took beside the
    arm `beside`."""
    told = [(block, protocols_of(block[arm])) for block in trials.blocks if block[arm].page is not None]
    without = [block for block, over in told if over and not over.get("h3")]
    mine = [time for block in without if (time := _load_s(block[arm])) is not None]
    theirs = [time for block in without if beside and (time := _load_s(block[beside])) is not None]
    return Fallback(
        requests=sum(number for _, over in told for name, number in over.items() if name != "h3"),
        of=sum(sum(over.values()) for _, over in told),
        none_in=len(without),
        loads=len(told),
        beside=beside,
        cost=statistics.median(mine) / statistics.median(theirs) if mine and theirs else None,
    )


def notes(trials: CellTrials) -> list[str]:
    """A sentence on each arm with a discovery, and on each whose requests went over several protocols."""
    return [said for arm in trials.arms if (said := _note(arm, trials.of(arm))) is not None]


def _note(arm: str, trials: Sequence[Trial]) -> str | None:
    seen = [over for trial in trials if (over := protocols_of(trial))]
    names = sorted({name for over in seen for name in over})
    if not names or (len(names) == 1 and DISCOVERY not in arm):
        return None
    parts = [f"{_middle([over.get(name, 0) for over in seen])} over {name}" for name in names]
    return f"{arm}: requests per load: {', '.join(parts)} ({count(len(seen), 'load')})."


def _middle(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    middle = f"{statistics.median(numbers):g}"
    return middle if least == most else f"{middle} ({least} to {most})"


def _load_s(trial: Trial) -> float | None:
    return None if has_failed(trial) else trial.metrics.load_s
