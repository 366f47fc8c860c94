"""Warnings about recorded sites: what was asked for that wasn't recorded, and what a server does otherwise
than the recorded ones."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pronghorn.analysis.numbers import count, listed
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial
from pronghorn.trust import misses

_IN_TURN = "builtin"
"""The origin that answers equal requests in turn, and takes the time that the recorded servers took."""

_SHOWN = 3


def cautions(
    experiment: Experiment, trials: Sequence[Trial], sites: Mapping[str, Mapping[str, Any]]
) -> Iterator[Caution]:
    """The warnings of a run over `sites`, as its manifest has them."""
    if not experiment.recorded_sites:
        return
    yield from _missed(trials)
    others = [origin for origin in experiment.origins if origin != _IN_TURN]
    if not others:
        return
    if experiment.replay.think_factor:
        yield Caution(
            "think-time-ignored",
            f"{listed(others)} answered at once. Only '{_IN_TURN}' takes the time that the recorded servers "
            "took.",
            'To compare servers alike: --set replay.think="none"',
        )
    alike = sum(int(site.get("answered_alike", 0)) for site in sites.values())
    if alike:
        yield Caution(
            "answered-alike",
            f"{listed(others)} gave equal requests the same answer. {count(alike, 'recorded answer')} to a "
            "repeated request was never sent.",
            f"Origin '{_IN_TURN}' answers in turn.",
        )


def _missed(trials: Sequence[Trial]) -> Iterator[Caution]:
    found: Counter[str] = Counter()
    loads = 0
    for trial in trials:
        missed = misses.of(trial.origin_log)
        found.update(f"{one.method or 'GET'} {one.path}" for one in missed)
        loads += bool(missed)
    if found:
        shown = ", ".join(text for text, _ in found.most_common(_SHOWN))
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield Caution(
            "not-recorded",
            f"{count(loads, 'load')} asked for what was not recorded, and got 404: {shown}{more}.",
            "See origin_log in trials.jsonl, 'matched'. Record the site again, or leave third parties out: "
            "add +no-third-parties to the site's name.",
        )
