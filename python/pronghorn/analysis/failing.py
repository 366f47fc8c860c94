"""Why trials failed or were discarded: the commonest reason, and the commonest detail of it."""

from collections import Counter
from collections.abc import Sequence

from pronghorn.analysis.numbers import count
from pronghorn.model.loaded import Failure
from pronghorn.model.trial import Trial

_BEGINNING, _END = 200, 120
"""The most characters of a detail that a sentence shows: its beginning, and what a program wrote last. The
journal has all of it."""


def commonest(trials: Sequence[Trial]) -> Failure | None:
    """The commonest reason of `trials`, all of which failed or were discarded; the first of equals. None
    where there are none."""
    reasons = Counter(trial.reason or "not said" for trial in trials)
    if not reasons:
        return None
    reason, times = reasons.most_common(1)[0]
    details = Counter(
        trial.detail for trial in trials if trial.detail and (trial.reason or "not said") == reason
    )
    return Failure(reason=reason, trials=times, detail=next(iter(dict(details.most_common(1))), None))


def commonest_of(found: Sequence[Failure | None]) -> Failure | None:
    """The commonest of several arms' failures, with the trials of all that failed for its reason."""
    known = [one for one in found if one is not None]
    reasons: Counter[str] = Counter()
    for one in known:
        reasons[one.reason] += one.trials
    if not reasons:
        return None
    reason, times = reasons.most_common(1)[0]
    most = max((one for one in known if one.reason == reason), key=lambda one: one.trials)
    return Failure(reason=reason, trials=times, detail=most.detail)


def told(detail: str) -> str:
    """A detail as part of a sentence: on one line, without its full stop, and of a long one without its
    middle."""
    line = " ".join(detail.split()).rstrip(".")
    return line if len(line) <= _BEGINNING + _END else f"{line[:_BEGINNING]} … {line[-_END:]}"


def with_detail(found: Failure) -> str:
    """`status: /a.png was answered 404`."""
    return f"{found.reason}: {told(found.detail)}" if found.detail else found.reason


def note(arm: str, found: Failure, failed: int, n: int) -> str:
    """The sentence on an arm some of whose trials failed."""
    return f"{arm}: {failed} of {count(n, 'trial')} failed, most often by {with_detail(found)}."
