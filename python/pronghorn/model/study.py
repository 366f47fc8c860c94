"""A published study as data: its figures, its claims as statements that can be tested, and which of our
experiments stand for it in which settings.

Nothing here knows what comes out. A claim's parts are expressions over figures (`h3 / h2`), evaluated alike
on what was published and on what was measured; see docs/replications/README.md for the format.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pronghorn.model import published
from pronghorn.model.expression import Expression, Term, parse
from pronghorn.model.summary import Metric

ClaimStatistic = Literal["median", "mean", "p90", "p99", "iqr"]
"""What a claim may be about; `iqr` is the interquartile range, a measure of spread."""

ShownStatistic = Literal["median", "mean", "p90", "p99", "iqr", "min", "max"]
"""What a table may have."""

Rule = Literal["about", "same side", "slightly"]
"""How a published figure becomes bounds, where the author's words have one (docs/methodology.md)."""

Size = Literal["quick", "full"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FigureTable(_Data):
    """Published figures: `rows[case][arm or quantity]` has a value for each of `statistics`, in seconds or
    requests per second. `compare` are the effects that are set beside ours, of every row."""

    caption: str
    metric: Metric
    statistics: tuple[ShownStatistic, ...] = ("median",)
    compare: tuple[str, ...] = ()
    rows: dict[str, dict[str, tuple[float, ...]]]

    def value(self, case: str, name: str, statistic: ShownStatistic) -> float | None:
        """One of them; None where it wasn't published."""
        if statistic not in self.statistics:
            return None
        found = self.rows.get(case, {}).get(name)
        return None if found is None else found[self.statistics.index(statistic)]


class Where(_Data):
    """A part of what names a cell: None where something else says it."""

    run: str | None = None
    site: str | None = None
    path: str | None = None
    origin: str | None = None
    client: str | None = None
    arms: dict[str, str] = Field(default_factory=dict)


class Setting(Where):
    """One plausible reading of what the authors left open. `cases` says it of single cases alone."""

    name: str
    cases: dict[str, Where] = Field(default_factory=dict)


class Factor(Where):
    """A single change to a setting, measured to see what it does: a possible reason of a difference. It
    holds for `cases` and in `settings`, or in all of them."""

    name: str
    cases: tuple[str, ...] | None = None
    settings: tuple[str, ...] | None = None


class Planned(_Data):
    """A run of one of our experiments: the overrides of `pronghorn run --set` that it always has, and those
    of each size; without `quick` it is made in full alone."""

    experiment: str
    set: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] | None = None

    def overrides(self, size: Size) -> tuple[str, ...]:
        """Those of a size."""
        return (*self.set, *((self.quick or ()) if size == "quick" else self.full))

    def is_of(self, size: Size) -> bool:
        """Whether it belongs to a size."""
        return size == "full" or self.quick is not None


class ClaimPart(_Data):
    """Comparisons on which a claim rests: `compare` in each of `cases` by each of `statistics`.

    Bounds are a `rule` over the published figure, or `least` and `most`. `theirs` is the figure, as a value
    or a range, where it is in no table. A `premise` is what the claim explains: unless that is reproduced
    there is nothing to explain, and the claim is undecided."""

    compare: str
    cases: tuple[str, ...] = ("",)
    metric: Metric = "load"
    statistics: tuple[ClaimStatistic, ...] = ("median",)
    rule: Rule | None = None
    least: float | None = None
    most: float | None = None
    theirs: float | tuple[float, float] | None = None
    premise: bool = False

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if (self.rule is None) == (self.least is None and self.most is None):
            raise ValueError(f"{self.compare}: write either a rule or bounds")
        return self


class StudyClaim(_Data):
    """What the authors conclude, in our words, and the parts of which all must hold but those that the
    authors' own figures don't bear out. It is read in the `settings` named, or in all. `note`: what is to be
    said of how it is read, such as the reason of a bound."""

    text: str
    parts: tuple[ClaimPart, ...]
    note: str | None = None
    settings: tuple[str, ...] | None = None


class Study(_Data):
    """One published study. `made` says how its authors measured, `departures` what is done otherwise here
    although they say how, `guesses` what we had to fill in, each with its reason. The first of `settings` is
    the one nearest to the authors' words."""

    name: str
    title: str
    made: dict[str, str]
    departures: tuple[str, ...]
    guesses: tuple[str, ...]
    tables: tuple[FigureTable, ...]
    quantities: dict[str, str] = Field(default_factory=dict)
    arms: dict[str, str] = Field(default_factory=dict)
    runs: dict[str, Planned]
    cases: dict[str, Where] = Field(default_factory=dict)
    settings: tuple[Setting, ...]
    factors: tuple[Factor, ...] = ()
    claims: tuple[StudyClaim, ...]

    def figure(self, term: Term, metric: Metric, statistic: ShownStatistic) -> float | None:
        """The published figure of a term; None where there is none."""
        found = (
            table.value(term.case, term.arm, statistic) for table in self.tables if table.metric == metric
        )
        return next((value for value in found if value is not None), None)

    def published(self, expression: Expression, metric: Metric, statistic: ShownStatistic) -> float | None:
        """What the published figures make of an expression; None where one is missing."""
        value = expression.neutral
        for term in expression.terms:
            figure = self.figure(term, metric, statistic)
            if figure is None:
                return None
            if expression.kind == "difference":
                value += term.sign * figure
            else:
                value = value / figure if term.sign < 0 else value * figure
        return value

    def expanded(self, expression: Expression) -> Expression:
        """The expression over arms alone: a quantity is replaced by what it stands for. ValueError where that
        would mix ratios with differences."""
        terms: list[Term] = []
        kind = expression.kind
        for term in expression.terms:
            if (stands_for := self.quantities.get(term.arm)) is None:
                terms.append(term)
                continue
            inner = parse(stands_for, term.case)
            if len(expression.terms) > 1 and inner.kind != kind:
                raise ValueError(f"{term.arm!r} is a {inner.kind}, which a {kind} can't be made of")
            kind = inner.kind
            terms += [one._replace(sign=one.sign * term.sign) for one in inner.terms]
        return Expression(kind, tuple(terms))

    def settings_of(self, claim: StudyClaim) -> list[Setting]:
        """The settings in which a claim is read."""
        return [one for one in self.settings if claim.settings is None or one.name in claim.settings]


@cache
def names() -> tuple[str, ...]:
    """The studies that come with the program."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _folder().iterdir()))


@cache
def read(name: str) -> Study:
    """One of them; KeyError where there is none of this name."""
    if name not in names():
        raise KeyError(name)
    table = tomllib.loads((_folder() / f"{name}.toml").read_text(encoding="utf-8"))
    if name in published.names():
        table["tables"] = [*_tables(published.read(name)), *table.get("tables", [])]
    return Study.model_validate({"name": name, **table})


def _tables(of_loads: published.Published) -> list[dict[str, Any]]:
    """The figures of measurements that an experiment of loads is held against, as tables."""
    quantities: Sequence[tuple[str, Metric, str]] = (
        ("Requests per second", "requests_per_second", "requests_per_second"),
        ("Total time", "load", "total_s"),
    )
    effect = f"{of_loads.protocols[-1]} / {of_loads.protocols[0]}"
    return [
        {
            "caption": caption,
            "metric": metric,
            "compare": [effect],
            "rows": {
                row.path: {
                    protocol: [getattr(figures, attribute)]
                    for protocol in of_loads.protocols
                    if (figures := row.of(protocol)) is not None
                }
                for row in of_loads.rows
            },
        }
        for caption, metric, attribute in quantities
    ]


def _folder() -> resources.abc.Traversable:
    return resources.files("pronghorn") / "data" / "studies"
