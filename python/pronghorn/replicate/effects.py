"""Published effects beside ours, in every setting that tells: which of the things that the authors left open
agrees with what they published."""

import math
from collections.abc import Iterator
from typing import get_args

from pronghorn.analysis.claims.sampled import Found, Sampler, values
from pronghorn.analysis.figures import finite
from pronghorn.model.expression import Kind, parse, worded
from pronghorn.model.study import ClaimStatistic, FigureTable, Setting
from pronghorn.replicate.causes import value
from pronghorn.replicate.measured import Measured
from pronghorn.replicate.result import Effect, InSetting


def effects(measured: Measured, sampler: Sampler) -> list[Effect]:
    """The effects that the study's tables ask for, row by row and statistic by statistic."""
    return [
        found
        for table in measured.study.tables
        for case in table.rows
        for text in table.compare
        for statistic in _statistics(table)
        if (found := _effect(measured, table, case, text, statistic, sampler)) is not None
    ]


def _statistics(table: FigureTable) -> Iterator[ClaimStatistic]:
    for one in get_args(ClaimStatistic):
        if one in table.statistics:
            yield one


def _effect(
    measured: Measured,
    table: FigureTable,
    case: str,
    text: str,
    statistic: ClaimStatistic,
    sampler: Sampler,
) -> Effect | None:
    """One of them; None where neither they nor we have it."""
    study = measured.study
    asked = parse(text, case)
    compared = study.expanded(asked)
    theirs = study.published(asked, table.metric, statistic)
    told: list[tuple[Setting, Found, list[float]]] = []
    seen: set[tuple[object, ...]] = set()
    for setting in study.settings:
        locate = measured.locate(setting)
        places = [locate(term) for term in compared.terms]
        key = tuple(None if at is None else (id(at.trials), at.arm) for at in places)
        if None not in places and key not in seen:
            found = sampler.evaluate(compared, locate, table.metric, statistic)
            told.append((setting, found, values(compared, locate, table.metric, statistic)))
        seen.add(key)
    differ = len(seen) > 1
    if theirs is None and not told:
        return None
    return Effect(
        what=worded(compared),
        case=case,
        kind=compared.kind,
        metric=table.metric,
        statistic=statistic,
        theirs=theirs,
        terms=[study.figure(term, table.metric, statistic) for term in compared.terms],
        settings=[
            InSetting(
                setting=setting.name if differ else "any",
                ours=value(found),
                terms=[finite(one) for one in terms],
                agrees=_agrees(found, theirs),
            )
            for setting, found, terms in told
        ],
        nearest=_nearest(told, theirs, compared.kind),
    )


def _agrees(found: Found, theirs: float | None) -> bool | None:
    if theirs is None or found.objection is not None:
        return None
    return found.low <= theirs <= found.high


def _nearest(told: list[tuple[Setting, Found, list[float]]], theirs: float | None, kind: Kind) -> str | None:
    distances = {}
    for setting, found, _ in told:
        if theirs is None or found.objection is not None or not math.isfinite(found.value):
            continue
        if kind == "ratio" and found.value <= 0:
            continue
        away = math.log(found.value / theirs) if kind == "ratio" else found.value - theirs
        distances[setting.name] = abs(away)
    return min(distances, key=distances.__getitem__) if len(distances) > 1 else None
