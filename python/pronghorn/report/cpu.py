"""What client and origin had of the CPUs in a cell's loads, arm by arm."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from pronghorn.analysis.times import has_failed
from pronghorn.model.trial import Trial

NONE = "–"


class CpuTimes(NamedTuple):
    """The medians of an arm, in milliseconds as text."""

    client: str
    origin: str


def cpu_times(trials: Mapping[str, Sequence[Trial]]) -> dict[str, CpuTimes] | None:
    """Of each arm the medians over its loads that succeeded; None where no trial tells any."""
    found = {
        arm: CpuTimes(
            _median(mine, lambda trial: trial.cpu.client_s), _median(mine, lambda trial: trial.cpu.origin_s)
        )
        for arm, mine in trials.items()
    }
    return found if any(set(times) != {NONE} for times in found.values()) else None


def _median(trials: Sequence[Trial], time_s: Callable[[Trial], float | None]) -> str:
    known = [time for trial in trials if not has_failed(trial) and (time := time_s(trial)) is not None]
    if not known:
        return NONE
    milliseconds = 1e3 * median(known)
    return f"{milliseconds:#.3g}" if milliseconds < 99.95 else f"{milliseconds:.0f}"
