"""What tells the slower loads of an arm from the faster ones, among what their records and flights say."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.numbers import seconds
from pronghorn.analysis.parts_words import NAMES
from pronghorn.fairness.flights import Flights
from pronghorn.fairness.line import line_of
from pronghorn.fairness.rules.slow_start import left_early
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import LinkCounters, Trial
from pronghorn.model.why import PARTS, Part

FALSE_ALARMS = 0.01
"""The probability that an unrelated trait is named: shared by the traits that are looked at (Bonferroni)."""

_MOST_FLIGHTS = 60
"""Each is up to megabytes of JSON."""


class Trait(NamedTuple):
    """What may differ between loads: its name, how it is read (None: the record doesn't tell), how a value
    is written (None: it is 1 or 0, there or not), and whether it can make a load slow or is a part of its
    time."""

    name: str
    of: Callable[[Trial], float | None]
    shown: Callable[[float], str] | None
    is_cause: bool = True


class Companion(NamedTuple):
    """A trait that goes with the slower loads: its medians (of what is there or not, the shares) in the
    faster and in the slower ones, and the probability of such a difference by chance."""

    trait: Trait
    faster: float
    slower: float
    p: float

    def words(self) -> str:
        """`which goes with segments sent again by TCP (median 0 in the faster ones, 4 in the slower)`."""
        if self.trait.shown is None:
            how = f"{100 * self.faster:.0f} % of the faster ones, {100 * self.slower:.0f} % of the slower"
        else:
            faster, slower = self.trait.shown(self.faster), self.trait.shown(self.slower)
            how = f"median {faster} in the faster ones, {slower} in the slower"
        return f"which correlates with {self.trait.name} ({how})"


def companion(
    experiment: Experiment, trials: Sequence[Trial], slower: npt.NDArray[np.bool_], run: Path | None
) -> Companion | None:
    """What goes most clearly with being among the `slower` of an arm's trials in a cell, rather a cause than
    a part of the time, by the rank-sum test of Mann & Whitney (1947); None where nothing does beyond chance.
    Flights are looked for in the directory `run`. What some trial doesn't tell, or what is the same in all,
    says nothing."""
    found = []
    for trait in [*_TRAITS, *_of_flights(experiment, trials, run)]:
        values = [trait.of(trial) for trial in trials]
        if None not in values and len(set(values)) > 1:
            found.append(_held(trait, np.array(values, dtype=np.float64), slower))
    clear = [one for one in found if one.p * len(found) <= FALSE_ALARMS]
    return min(clear, key=lambda one: (not one.trait.is_cause, one.p), default=None)


def _held(trait: Trait, values: npt.NDArray[np.float64], slower: npt.NDArray[np.bool_]) -> Companion:
    # A tenth of a second that runs without such arms do without.
    from scipy.stats import mannwhitneyu

    mine, others = values[slower], values[~slower]
    p = float(mannwhitneyu(mine, others, method="asymptotic").pvalue)
    middle = np.mean if trait.shown is None else np.median
    return Companion(trait, float(middle(others)), float(middle(mine)), p)


def _of_flights(experiment: Experiment, trials: Sequence[Trial], run: Path | None) -> list[Trait]:
    """Whether slow start was left early, of loads over TCP whose flights tell."""
    arms = {arm.name: arm for arm in experiment.arms}
    line = line_of(experiment.path(trials[0].cell.path))
    if line is None or run is None or arms[trials[0].arm].over_quic or len(trials) > _MOST_FLIGHTS:
        return []
    flights = Flights(run)

    def left(trial: Trial) -> float | None:
        senders = next(flights.senders([trial], over_quic=False), None)
        return None if senders is None else float(left_early(senders, line) is not None)

    return [Trait("slow start left early", left, None)]


def _down(trial: Trial) -> LinkCounters | None:
    return trial.counters.down if trial.counters else None


def _up(trial: Trial) -> LinkCounters | None:
    return trial.counters.up if trial.counters else None


def _dropped(link: LinkCounters | None) -> float | None:
    if link is None:
        return None
    lost = link.lost + link.corrupted + link.outage_dropped + link.left_behind
    return float(lost + link.policed + link.queue_dropped + link.aqm_dropped)


def _overtaken(trial: Trial) -> float | None:
    link = _down(trial)
    return None if link is None else float(link.reordered)


def _sent_again(trial: Trial) -> float | None:
    host = trial.counters.host if trial.counters else None
    return float(sum(host.tcp_retransmits.values())) if host and host.tcp_retransmits else None


def _part(part: Part, trial: Trial) -> float | None:
    return trial.why.parts.get(part) if trial.why is not None else None


def _whole(value: float) -> str:
    return f"{value:.4g}"


_TRAITS = (
    Trait("packets dropped on the down link", lambda trial: _dropped(_down(trial)), _whole),
    Trait("packets dropped on the up link", lambda trial: _dropped(_up(trial)), _whole),
    Trait("packets overtaken on the down link", _overtaken, _whole),
    Trait("segments retransmitted by TCP", _sent_again, _whole),
    Trait("the position in the block", lambda trial: trial.position + 1.0, _whole),
    Trait("the time to first byte", lambda trial: trial.metrics.ttfb_s, seconds, is_cause=False),
    *(
        Trait(f"the part of the time called {NAMES[part]}", partial(_part, part), seconds, is_cause=False)
        for part in PARTS
    ),
)
