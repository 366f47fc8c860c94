"""Claims about one run, such as `h3/h2 load median < 1.05`, `h3.failed == 0` or `h3 is faster`.

    CLAIM     = VALUE OP VALUE | ARM "is" ["not"] VERDICT
    VALUE     = NUMBER ["s" | "ms"] | TERM ["/" TERM] [METRIC] [STATISTIC]
    TERM      = ARM ["." STATISTIC]
    OP        = "<" | "<=" | ">" | ">=" | "==" | "!="

A METRIC is one of those that are compared (`load` unless said otherwise), a STATISTIC one of its figures
(`median` unless said otherwise) or a count of trials (`n`, `failed`, `contaminated`); after a dot also a
metric of loads, of which the median is meant. Times are seconds; what is not known makes a check fail, as
does a number of failures where no trial counts.
"""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple, cast, get_args

from pronghorn.analysis.numbers import count, interval, rate, ratio, seconds
from pronghorn.analysis.words import METRICS as METRIC_WORDS
from pronghorn.analysis.words import failures
from pronghorn.checks import language
from pronghorn.checks.intervals import Measured, Pair, least_blocks
from pronghorn.checks.judged import finding
from pronghorn.checks.known import Known, ends, exact
from pronghorn.checks.language import COMPARISON, Expectation, Said, number
from pronghorn.checks.result import Finding, Result
from pronghorn.checks.verdicts import evidence, expected
from pronghorn.errors import InputError, unknown
from pronghorn.model.comparison import FIGURES, HIGHER_IS_BETTER, LATENCIES, Metric
from pronghorn.model.experiment import Experiment
from pronghorn.model.summary import ArmSummary, CellSummary
from pronghorn.model.trial import Cell

METRICS: tuple[str, ...] = get_args(Metric)
COUNTS = ("n", "failed", "contaminated")
STATISTICS = (*FIGURES, *COUNTS)

_OF_LOADS: tuple[Metric, ...] = ("requests_per_second", *LATENCIES)
_VALUE = re.compile(r"([^\s/]+)(?:\s*/\s*([^\s/]+))?((?:\s+\S+)*)")


class Term(NamedTuple):
    """A statistic of an arm; of counts the metric doesn't matter."""

    arm: str
    metric: Metric
    statistic: str


class Value(NamedTuple):
    """A number, with or without a unit of time, or a statistic, or the ratio of two."""

    text: str
    number: float | None = None
    timed: bool = False
    over: Term | None = None
    under: Term | None = None


class Comparison(NamedTuple):
    """`left` OP `right`."""

    left: Value
    operator: str
    right: Value


class Check(NamedTuple):
    """A parsed check: the sentence, the cells it is about, and what must hold in each."""

    said: Said
    cells: tuple[Cell, ...]
    claim: Comparison | Expectation


def parse(text: str, experiment: Experiment) -> Check:
    """The check that `text` says about `experiment`; InputError where it says none."""
    said = language.split(text)
    cells = language.matching(said, experiment.cells())
    if (verdict := language.expectation(said)) is not None:
        arm = _arm(verdict.arm, text, experiment)
        if arm == experiment.baseline:
            raise InputError(f"--check {text!r}: {arm!r} is the baseline, which has no verdict.")
        return Check(said, cells, verdict)
    found = COMPARISON.fullmatch(said.claim)
    if found is None:
        raise InputError(
            f"--check {text!r}: this is no comparison. Write VALUE < VALUE (or <=, >, >=, ==, !=) or ARM "
            "is VERDICT, such as 'h3/h2 load median < 1.05 on lte'."
        )
    left, right = (_value(part, text, experiment) for part in (found[1], found[3]))
    _refuse_unlike(left, right, text)
    return Check(said, cells, Comparison(left, found[2], right))


def evaluate(checks: Iterable[Check], measured: Measured) -> list[Result]:
    """What becomes of checks in a run."""
    return [
        Result(
            check.said.text,
            tuple(
                _judge(check, cell, measured) for cell in measured.summary.cells if cell.cell in check.cells
            ),
        )
        for check in checks
    ]


def _judge(check: Check, cell: CellSummary, measured: Measured) -> Finding:
    if isinstance(check.claim, Expectation):
        return _of_verdict(check.claim, check.said, cell, measured)
    claim = check.claim
    left, right = (_known(value, cell, measured) for value in (claim.left, claim.right))
    for value, known in ((claim.left, left), (claim.right, right)):
        if known.value is None:
            told = "; ".join(filter(None, [f"{value.text} is not known", _failures(claim, cell)]))
            return Finding(cell.title, False, told)
    said = [
        _evidence(value, known, cell)
        for value, known in ((claim.left, left), (claim.right, right))
        if value.number is None
    ]
    told = "; ".join(filter(None, [*said, count(cell.blocks, "block"), _failures(claim, cell)]))
    estimated = claim.left if claim.left.over is not None else claim.right
    return finding(
        cell.title,
        (left, claim.operator, right),
        surely=check.said.surely,
        told=told if said else "never",
        show=lambda number: _number(estimated, number),
        blocks=cell.blocks >= least_blocks(estimated.over.statistic if estimated.over else "median"),
    )


def _of_verdict(claim: Expectation, said: Said, cell: CellSummary, measured: Measured) -> Finding:
    found = cell.comparison(claim.arm)
    if found is None:
        return Finding(cell.title, False, f"{claim.arm} was not compared")
    holds, doubtful = expected(claim, found, margin=measured.summary.margin, surely=said.surely)
    told = evidence(claim, found, found.words.removeprefix(f"{cell.title}: "))
    return Finding(cell.title, holds, told, doubtful=doubtful)


def _known(value: Value, cell: CellSummary, measured: Measured) -> Known:
    if value.over is None:
        return exact(value.number or 0.0)
    over = _statistic(value.over, cell)
    if value.under is None:
        return over
    if any(its.loaded is not None and its.loaded.requests == 0 for its in _arms(value, cell)):
        return Known(None)
    under = _statistic(value.under, cell)
    if over.value is None or not under.value:
        return Known(None)
    if value.over._replace(arm="") != value.under._replace(arm=""):
        return Known(over.value / under.value)
    pair = Pair(value.over.arm, value.under.arm, value.over.metric, value.over.statistic)
    return Known(over.value / under.value, measured.interval(cell, pair))


def _arms(value: Value, cell: CellSummary) -> list[ArmSummary]:
    return [cell.arms[term.arm] for term in (value.over, value.under) if term is not None]


def _statistic(term: Term, cell: CellSummary) -> Known:
    arm = cell.arms[term.arm]
    if term.statistic == "failed" and not arm.n:
        return Known(None)
    if term.statistic in COUNTS:
        return exact(float(getattr(arm, term.statistic)))
    figures = arm.of(term.metric)
    value = getattr(figures, term.statistic)
    if value is None:
        return Known(None)
    found = figures.ci95.get(term.statistic)
    return Known(float(value), None if found is None else ends(found))


def _failures(claim: Comparison, cell: CellSummary) -> str:
    """Which of the arms that a claim is about failed, and how often; empty where none did."""
    terms = (claim.left.over, claim.left.under, claim.right.over, claim.right.under)
    names = list(dict.fromkeys(term.arm for term in terms if term is not None))
    return failures(names, cell.arms)


def _evidence(value: Value, known: Known, cell: CellSummary) -> str:
    """What was found of a value: `h3/h2 = 1.10 (load median 640 ms against 583 ms, 95 % interval …)`."""
    over, under = value.over, value.under
    if over is None or known.value is None:
        return value.text
    if under is None:
        if over.statistic in COUNTS:
            return f"{value.text} = {known.value:g}"
        details = [] if known.interval is None else [f"95 % interval {_span(over, known)}"]
        return _with(f"{value.text} = {_shown(over, known.value)}", details)
    figures = (_of(cell.arms[term.arm], term) for term in (over, under))
    details = [f"{_quantity(over)} {' against '.join(figures)}"]
    low, high = known.interval or (None, None)
    if known.interval is not None:
        details.append(f"95 % interval {interval(low, high)}")
    return _with(f"{value.text} = {ratio(known.value, low, high)}", details)


def _with(said: str, details: list[str]) -> str:
    return f"{said} ({', '.join(details)})" if details else said


def _of(arm: ArmSummary, term: Term) -> str:
    value = getattr(arm if term.statistic in COUNTS else arm.of(term.metric), term.statistic)
    return str(value) if term.statistic in COUNTS else _shown(term, value)


def _span(term: Term, known: Known) -> str:
    low, high = known.interval or (None, None)
    return f"{_shown(term, low)} to {_shown(term, high)}"


def _number(value: Value, number: float) -> str:
    if math.isinf(number):
        return "∞"
    if value.over is None or value.under is not None or value.over.statistic in COUNTS:
        return f"{number:.3g}"
    return _shown(value.over, number)


def _shown(term: Term, value: float | None) -> str:
    if value is not None and math.isinf(value):
        return "∞"
    return rate(value) if term.metric == "requests_per_second" else seconds(value)


def _quantity(term: Term) -> str:
    if term.statistic in COUNTS:
        return term.statistic
    return f"{METRIC_WORDS[term.metric]} {term.statistic}"


def _value(part: str, text: str, experiment: Experiment) -> Value:
    said = part.strip()
    if (plain := number(said)) is not None:
        return Value(said, number=plain, timed=said.endswith("s"))
    found = _VALUE.fullmatch(said)
    if found is None:
        raise InputError(f"--check {text!r}: {said!r} is not a number, an arm or a ratio of two arms.")
    words = _words(found[3].split(), text)
    over = _term(found[1], words, text, experiment)
    under = None if found[2] is None else _term(found[2], words, text, experiment)
    return Value(said, over=over, under=under)


def _refuse_unlike(left: Value, right: Value, text: str) -> None:
    """InputError where a time is compared with what is none."""
    for one, other in ((left, right), (right, left)):
        term = other.over
        if not one.timed or term is None:
            continue
        if other.under is not None or term.statistic in COUNTS or term.metric in HIGHER_IS_BETTER:
            raise InputError(
                f"--check {text!r}: {other.text!r} is not a time. Compare it with a number without a unit."
            )


def _words(said: list[str], text: str) -> tuple[Metric | None, str | None]:
    """The metric and the statistic that stand behind an arm or a ratio."""
    metric = cast(Metric, said.pop(0)) if said and said[0] in METRICS else None
    statistic = said.pop(0) if said and said[0] in STATISTICS else None
    if said:
        raise InputError(
            f"--check {text!r}: " + unknown("metric or statistic", said[0], (*METRICS, *STATISTICS))
        )
    return metric, statistic


def _term(name: str, words: tuple[Metric | None, str | None], text: str, experiment: Experiment) -> Term:
    metric, statistic = words
    names = [arm.name for arm in experiment.arms]
    if name in names:
        return Term(name, metric or "load", statistic or "median")
    arm, dot, dotted = name.rpartition(".")
    if not dot or arm not in names:
        raise InputError(f"--check {text!r}: " + unknown("arm", arm if dot else name, names))
    if dotted not in (*STATISTICS, *_OF_LOADS):
        raise InputError(f"--check {text!r}: " + unknown("statistic", dotted, (*STATISTICS, *_OF_LOADS)))
    if statistic is not None or (metric is not None and dotted in _OF_LOADS):
        raise InputError(f"--check {text!r}: the statistic of {arm!r} is given twice. Leave out '.{dotted}'.")
    if dotted in STATISTICS:
        return Term(arm, metric or "load", dotted)
    return Term(arm, cast(Metric, dotted), "median")


def _arm(name: str, text: str, experiment: Experiment) -> str:
    names = [arm.name for arm in experiment.arms]
    if name not in names:
        raise InputError(f"--check {text!r}: " + unknown("arm", name, names))
    return name
