"""Why a value differs from the published one, as far as it was measured: what each change of the setting does
to it."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from pronghorn.analysis.claims.bounds import Theirs, state
from pronghorn.analysis.claims.judged import Statement
from pronghorn.analysis.claims.sampled import Found, Locate, Sampler, values
from pronghorn.analysis.figures import finite
from pronghorn.model.expression import Expression, Kind
from pronghorn.model.study import Setting
from pronghorn.model.summary import State
from pronghorn.replicate.measured import Measured
from pronghorn.replicate.result import Cause, Direction, Tested, Value

_DIRECTIONS: tuple[Direction, ...] = ("towards", "away", "not told")
_STATES: tuple[State, ...] = ("reproduced", "undecided", "not reproduced")


def causes(
    measured: Measured, statement: Statement, setting: Setting, settings: list[Setting], sampler: Sampler
) -> list[Cause]:
    """What the other `settings` and the study's factors make of a statement's value: first those that lead to
    the published one, and of these those that come within the bounds."""
    found = []
    judged = sampler.evaluate(
        statement.compared, measured.locate(setting), statement.metric, statement.statistic
    )
    for name, before, after in _changes(measured, statement.compared, setting, settings):
        without, with_it = (
            sampler.evaluate(statement.compared, at, statement.metric, statement.statistic)
            for at in (before, after)
        )
        if not with_it.blocks:
            continue
        kind = statement.compared.kind
        change = changed(without, with_it, kind)
        found.append(
            Cause(
                factor=name,
                ours=value(with_it),
                terms=[
                    finite(one)
                    for one in values(statement.compared, after, statement.metric, statement.statistic)
                ],
                change=finite(change.value),
                change_ci95=(finite(change.low), finite(change.high)),
                direction=_direction(judged, change, _wanted(statement), kind),
                state=state(with_it, statement.bounds)[0],
                apart=measured.apart(statement.compared, before, after),
            )
        )
    return sorted(found, key=_rank)


def joined(parts: Sequence[Tested]) -> Tested:
    """A comparison that is of the same trials in several settings, with what was measured of any of them."""
    found = {cause.factor: cause for part in reversed(parts) for cause in part.causes}
    return parts[0].model_copy(update={"causes": sorted(found.values(), key=_rank)})


def _rank(cause: Cause) -> tuple[int, int]:
    return _DIRECTIONS.index(cause.direction), _STATES.index(cause.state)


def value(found: Found) -> Value:
    """A value as it is told."""
    return Value(
        value=finite(found.value),
        ci95=(finite(found.low), finite(found.high)),
        blocks=found.blocks,
        failed=dict(found.failed),
        reason=found.objection,
    )


def changed(before: Found, after: Found, kind: Kind) -> Found:
    """How far one value is from another, as a ratio (of ratios) or a difference (of differences).

    Its interval is made of both values' by the method of variance estimates recovery, which takes them for
    independent (Zou & Donner, "Construction of confidence limits about effect measures", Statistics in
    Medicine 27 (2008)); where they share blocks it is too wide rather than too narrow.
    """
    if kind == "ratio":
        logs = changed(_logarithm(before), _logarithm(after), "difference")
        return logs._replace(value=_power(logs.value), low=_power(logs.low), high=_power(logs.high))
    change = after.value - before.value
    low = change - math.hypot(after.value - after.low, before.high - before.value)
    high = change + math.hypot(after.high - after.value, before.value - before.low)
    return Found(change, low, high, min(before.blocks, after.blocks), {})


def _changes(
    measured: Measured, compared: Expression, setting: Setting, settings: list[Setting]
) -> Iterator[tuple[str, Locate, Locate]]:
    """Each change of the setting that the expression feels, by name: where its terms lie without it, and
    where with it. Other settings in which it is of the same trials are one change. A factor is held against
    its own run's trials without it, where there are any: else against the setting's."""
    here = measured.locate(setting)
    others: dict[tuple[str, ...], tuple[list[str], Locate]] = {}
    for other in settings:
        there = measured.locate(other)
        if other.name != setting.name and _differ(compared, here, there):
            others.setdefault(tuple(measured.trials(compared, there)), ([], there))[0].append(other.name)
    for names, there in others.values():
        yield ", or with ".join(names), here, there
    for factor in measured.study.factors:
        there = measured.locate(setting, factor)
        if not _differ(compared, here, there):
            continue
        beside = measured.locate(setting, factor.model_copy(update=_ITS_RUN_ALONE))
        has_both = _all(compared, beside) and _differ(compared, beside, there)
        yield factor.name, beside if has_both else here, there


_ITS_RUN_ALONE: dict[str, Any] = {"path": None, "site": None, "origin": None, "client": None, "arms": {}}


def _differ(compared: Expression, here: Locate, there: Locate) -> bool:
    """Whether the terms lie elsewhere, all of them somewhere."""
    return _all(compared, there) and any(here(term) != there(term) for term in compared.terms)


def _all(compared: Expression, at: Locate) -> bool:
    return all(at(term) is not None for term in compared.terms)


def _wanted(statement: Statement) -> Theirs:
    """Where the published value lies; without one, within the bounds."""
    if statement.theirs is not None:
        return statement.theirs
    least, most = statement.bounds
    return -math.inf if least is None else least, math.inf if most is None else most


def _direction(judged: Found, change: Found, wanted: Theirs, kind: Kind) -> Direction:
    """Where the change leads from the value that was judged, where it is surely one."""
    neutral = 1.0 if kind == "ratio" else 0.0
    if not (change.low > neutral or change.high < neutral):
        return "not told"
    if wanted[0] <= judged.value <= wanted[1]:
        return "away"
    rises = change.low > neutral
    return "towards" if rises == (judged.value < wanted[0]) else "away"


def _logarithm(found: Found) -> Found:
    return found._replace(value=_log(found.value), low=_log(found.low), high=_log(found.high))


def _log(number: float) -> float:
    if math.isnan(number) or number < 0:
        return math.nan
    return -math.inf if number == 0 else math.log(number)


def _power(number: float) -> float:
    return math.inf if number > 700 else math.exp(number)
