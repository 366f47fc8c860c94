"""A study's claims in every setting in which they are read."""

from collections.abc import Sequence

from pronghorn.analysis.claims.bounds import agreed, every, state
from pronghorn.analysis.claims.judged import Statement, statements
from pronghorn.analysis.claims.sampled import Locate, Sampler, values
from pronghorn.analysis.figures import finite
from pronghorn.model.expression import worded
from pronghorn.model.study import Setting, StudyClaim
from pronghorn.model.summary import State
from pronghorn.replicate.causes import causes, value
from pronghorn.replicate.measured import Measured
from pronghorn.replicate.result import ClaimFound, ReadingFound, Tested


def claims(measured: Measured, sampler: Sampler) -> list[ClaimFound]:
    """Every claim of the study."""
    return [_claim(measured, claim, sampler) for claim in measured.study.claims]


def _claim(measured: Measured, claim: StudyClaim, sampler: Sampler) -> ClaimFound:
    tested = [statement for part in claim.parts for statement in statements(measured.study, part)]
    wanted = measured.study.settings_of(claim)
    settings = _told_apart(measured, tested, wanted)
    missing = [one.name for one in wanted if one not in settings and _lacks(measured, tested, one, settings)]
    readings = [
        _reading(setting, [_tested(measured, one, setting, settings, sampler) for one in tested])
        for setting in settings
    ]
    return ClaimFound(
        claim=claim.text,
        note=claim.note,
        state=agreed([reading.state for reading in readings]),
        words=_words(readings) + (f" (not measured: {', '.join(missing)})" if missing else ""),
        readings=readings,
    )


def _told_apart(
    measured: Measured, tested: Sequence[Statement], settings: Sequence[Setting]
) -> list[Setting]:
    """The settings in which something was measured elsewhere than in those before; the first one where
    nothing was measured at all. One of which nothing of its own was measured would repeat another's
    figures beside what is missing."""
    seen: list[_Places] = []
    chosen: list[Setting] = []
    for setting in settings:
        found = _places(measured.locate(setting), tested)
        if any(found) and not any(_within(found, other) for other in seen):
            chosen.append(setting)
            seen.append(found)
    return chosen or list(settings[:1])


def _lacks(
    measured: Measured, tested: Sequence[Statement], setting: Setting, chosen: Sequence[Setting]
) -> bool:
    """Whether something of a setting wasn't measured that was measured in one that is read."""
    places = _places(measured.locate(setting), tested)
    return any(
        mine is None and other is not None
        for one in chosen
        for mine, other in zip(places, _places(measured.locate(one), tested), strict=True)
    )


_Places = tuple[tuple[int, str] | None, ...]
"""Where each of the terms lies, None where it wasn't measured."""


def _places(locate: Locate, tested: Sequence[Statement]) -> _Places:
    found = (locate(term) for one in tested for term in one.compared.terms)
    return tuple(None if at is None else (id(at.trials), at.arm) for at in found)


def _within(found: _Places, other: _Places) -> bool:
    """Whether nothing was measured that wasn't measured in the same place of the other."""
    return all(mine is None or mine == theirs for mine, theirs in zip(found, other, strict=True))


def _reading(setting: Setting, parts: list[Tested]) -> ReadingFound:
    counted = [one for one in parts if one.counted] or parts
    premises = [one for one in counted if one.premise]
    said = every([one.state for one in counted])
    if any(one.state != "reproduced" for one in premises):
        said = "undecided"
    return ReadingFound(setting=setting.name, state=said, parts=parts)


def _tested(
    measured: Measured, one: Statement, setting: Setting, settings: list[Setting], sampler: Sampler
) -> Tested:
    locate = measured.locate(setting)
    found = sampler.evaluate(one.compared, locate, one.metric, one.statistic)
    reached, _ = state(found, one.bounds)
    return Tested(
        what=worded(one.compared),
        case=one.case,
        kind=one.compared.kind,
        metric=one.metric,
        statistic=one.statistic,
        theirs=one.theirs,
        theirs_hold=None if one.theirs is None else all(one.bounds.hold(end) for end in one.theirs),
        least=one.bounds.least,
        most=one.bounds.most,
        ours=value(found),
        state=reached,
        premise=one.premise,
        terms=[finite(each) for each in values(one.compared, locate, one.metric, one.statistic)],
        their_terms=[measured.study.figure(term, one.metric, one.statistic) for term in one.compared.terms],
        trials=measured.trials(one.compared, locate),
        spoilt=measured.spoilt(one.compared, locate),
        causes=causes(measured, one, setting, settings, sampler) if reached == "not reproduced" else [],
    )


def _words(readings: Sequence[ReadingFound]) -> str:
    said: dict[State, list[str]] = {"reproduced": [], "not reproduced": [], "undecided": []}
    for reading in readings:
        said[reading.state].append(reading.setting)
    met = [found for found, names in said.items() if names]
    if len(met) == 1:
        return met[0] if len(readings) == 1 else f"{met[0]} in {_all(len(readings))} settings"
    return "depends: " + "; ".join(f"{found} with {', with '.join(said[found])}" for found in met)


def _all(number: int) -> str:
    return "both" if number == 2 else f"all {number}"
