"""A study's claims in one setting: each part's expression, its published value, its bounds."""

from collections.abc import Iterator
from typing import NamedTuple

from pronghorn.analysis.claims.bounds import Bounds, Theirs, by
from pronghorn.model.expression import Expression, parse
from pronghorn.model.study import ClaimPart, ClaimStatistic, Study
from pronghorn.model.summary import Metric


class Statement(NamedTuple):
    """One thing that can be tested: `compared` over arms, by one statistic of one metric, within `bounds`.
    `theirs` is the published value, None where there is none. `case` is what the part was written for, and
    `premise` says that it is what the claim explains."""

    case: str
    compared: Expression
    metric: Metric
    statistic: ClaimStatistic
    theirs: Theirs | None
    bounds: Bounds
    premise: bool = False


def statements(study: Study, part: ClaimPart) -> Iterator[Statement]:
    """A part of a claim, case by case and statistic by statistic. ValueError where a rule finds no published
    figure to go by."""
    for case in part.cases:
        expression = parse(part.compare, case)
        compared = study.expanded(expression)
        for statistic in part.statistics:
            theirs = _theirs(study, part, expression, statistic)
            if part.rule is None:
                bounds = Bounds(part.least, part.most)
            elif theirs is None:
                raise ValueError(f"{part.compare} on {case}: no figure was published for '{part.rule}'")
            else:
                bounds = by(part.rule, theirs, compared.kind)
            yield Statement(case, compared, part.metric, statistic, theirs, bounds, part.premise)


def _theirs(
    study: Study, part: ClaimPart, expression: Expression, statistic: ClaimStatistic
) -> Theirs | None:
    if isinstance(part.theirs, tuple):
        return part.theirs
    value = part.theirs if part.theirs is not None else study.published(expression, part.metric, statistic)
    return None if value is None else (value, value)
