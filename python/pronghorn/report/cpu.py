"""What client and origin had of the CPUs in a cell's loads, arm by arm."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from pronghorn.analysis.times import has_failed
from pronghorn.model.trial import Trial

NONE = "–"


class CpuTimes(NamedTuple):
    """Medians in milliseconds as text, one for each of `headings`, by arm; `of` says whose they are."""

    of: str
    headings: tuple[str, ...]
    arms: dict[str, tuple[str, ...]]


_BOTH_ENDS = CpuTimes("client and origin", ("client CPU", "origin CPU"), {})
_GUEST = CpuTimes("the whole guest", ("guest CPU",), {})


def cpu_times(trials: Mapping[str, Sequence[Trial]]) -> CpuTimes | None:
    """Of each arm the medians over its loads that succeeded: of both ends, or of a guest, in virtual time;
    None where no trial tells any."""
    ends = {
        arm: (
            _median(mine, lambda trial: trial.cpu.client_s),
            _median(mine, lambda trial: trial.cpu.origin_s),
        )
        for arm, mine in trials.items()
    }
    guests = {arm: (_median(mine, lambda trial: trial.cpu.guest_s),) for arm, mine in trials.items()}
    for kind, found in ((_BOTH_ENDS, ends), (_GUEST, guests)):
        if any(set(times) != {NONE} for times in found.values()):
            return kind._replace(arms=dict(found))
    return None


def _median(trials: Sequence[Trial], time_s: Callable[[Trial], float | None]) -> str:
    known = [time for trial in trials if not has_failed(trial) and (time := time_s(trial)) is not None]
    if not known:
        return NONE
    milliseconds = 1e3 * median(known)
    return f"{milliseconds:#.3g}" if milliseconds < 99.95 else f"{milliseconds:.0f}"
