"""`--check`: a comparison over the summary, such as `lte: h3/h2 < 1.0` or `lte-*: h3 is faster`.

    CHECK    = [CELLS ":"] (VALUE OP VALUE | ARM "is" VERDICT)
    CELLS    = PATH | SITE "/" PATH "/" ORIGIN "/" CLIENT      with * as a wildcard; without it every cell
    VALUE    = NUMBER ["s" | "ms"] | ARM ["." STATISTIC] ["/" ARM ["." STATISTIC]]
    OP       = "<" | "<=" | ">" | ">=" | "==" | "!="

A STATISTIC is one of the load time (`median`, `p99`, `failed`, …); of loads, whose time is the total one,
also `requests_per_second` or a latency such as `total_p99`, each as the median over the trials.

Times are seconds; a statistic that is not known (a mean where a trial failed) makes the check fail.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple, get_args

from pronghorn.errors import InputError, unknown
from pronghorn.model.experiment import Experiment
from pronghorn.model.operators import OPERATORS
from pronghorn.model.summary import LATENCIES, CellSummary, Metric, Summary, Verdict
from pronghorn.model.trial import Cell

OF_LOADS: Mapping[str, Metric] = {metric: metric for metric in ("requests_per_second", *LATENCIES)}
STATISTICS = ("median", "mean", "p90", "p99", "min", "max", "n", "failed", "contaminated", *OF_LOADS)
VERDICTS: tuple[str, ...] = get_args(Verdict)

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(s|ms)?")


class Term(NamedTuple):
    """A statistic of an arm."""

    arm: str
    statistic: str


class Value(NamedTuple):
    """A number, or a statistic, or the ratio of two."""

    text: str
    number: float | None = None
    over: Term | None = None
    under: Term | None = None


class Comparison(NamedTuple):
    """`left` OP `right`."""

    left: Value
    operator: str
    right: Value


class Expectation(NamedTuple):
    """An arm's expected verdict on the load's median."""

    arm: str
    verdict: str


class Check(NamedTuple):
    """A parsed check: its text, the cells it is about, and what must hold in each."""

    text: str
    cells: tuple[Cell, ...]
    claim: Comparison | Expectation


def parse(text: str, experiment: Experiment) -> Check:
    """The check that `text` says about `experiment`; InputError where it says none."""
    pattern, claim = _split(text)
    cells = tuple(cell for cell in experiment.cells() if _matches(cell, pattern))
    if not cells:
        paths = [path.name for path in experiment.paths]
        raise InputError(f"--check {text!r}: " + unknown("path or cell", pattern, paths))
    if found := re.fullmatch(r"(\S+)\s+is\s+(\S+)", claim):
        verdict = found[2]
        if verdict not in VERDICTS:
            raise InputError(f"--check {text!r}: " + unknown("verdict", verdict, VERDICTS))
        arm = _term(found[1], text, experiment).arm
        if arm == experiment.baseline:
            raise InputError(f"--check {text!r}: {arm!r} is the baseline, which has no verdict of its own.")
        return Check(text, cells, Expectation(arm, verdict))
    found = re.fullmatch(r"(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+)", claim)
    if found is None:
        raise InputError(
            f"--check {text!r}: no comparison; write VALUE < VALUE (or <=, >, >=, ==, !=) or ARM is VERDICT, "
            "such as 'lte: h3/h2 < 1.0'."
        )
    left, right = _value(found[1], text, experiment), _value(found[3], text, experiment)
    return Check(text, cells, Comparison(left, found[2], right))


def failure(check: Check, summary: Summary) -> str | None:
    """Why `check` does not hold in `summary`, or None where it does."""
    for cell in summary.cells:
        if cell.cell in check.cells and (why := _fails(check.claim, cell)):
            return f"{check.text} ({cell.title}: {why})"
    return None


def _fails(claim: Comparison | Expectation, cell: CellSummary) -> str | None:
    if isinstance(claim, Expectation):
        found = cell.comparison(claim.arm)
        verdict = found.verdict if found else "undecided"
        return None if verdict == claim.verdict else f"{claim.arm} is {verdict}"
    left, right = _evaluate(claim.left, cell), _evaluate(claim.right, cell)
    for value, number in ((claim.left, left), (claim.right, right)):
        if number is None:
            return f"{value.text} is not known"
    if left is None or right is None or OPERATORS[claim.operator](left, right):
        return None
    sides = [
        f"{value.text} = {number:.4g}"
        for value, number in ((claim.left, left), (claim.right, right))
        if value.number is None
    ]
    return ", ".join(sides) or "never"


def _evaluate(value: Value, cell: CellSummary) -> float | None:
    if value.number is not None or value.over is None:
        return value.number
    over = _statistic(value.over, cell)
    if value.under is None:
        return over
    under = _statistic(value.under, cell)
    return over / under if over is not None and under else None


def _statistic(term: Term, cell: CellSummary) -> float | None:
    arm = cell.arms[term.arm]
    metric = OF_LOADS.get(term.statistic)
    value = getattr(arm, term.statistic) if metric is None else arm.of(metric).median
    return None if value is None else float(value)


def _split(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if colon and not re.search(r"[<>=]|\sis\s", head):
        return head.strip(), rest.strip()
    return "*", text.strip()


def _matches(cell: Cell, pattern: str) -> bool:
    return fnmatchcase(cell.path, pattern) or fnmatchcase(str(cell), pattern)


def _value(part: str, text: str, experiment: Experiment) -> Value:
    if found := _NUMBER.fullmatch(part.strip()):
        return Value(part.strip(), number=float(found[1]) / (1000 if found[2] == "ms" else 1))
    over, slash, under = part.partition("/")
    if not slash:
        return Value(part.strip(), over=_term(over, text, experiment))
    return Value(part.strip(), over=_term(over, text, experiment), under=_term(under, text, experiment))


def _term(part: str, text: str, experiment: Experiment) -> Term:
    name = part.strip()
    names = [arm.name for arm in experiment.arms]
    if name in names:
        return Term(name, "median")
    arm, dot, statistic = name.rpartition(".")
    if not dot or arm not in names:
        raise InputError(f"--check {text!r}: " + unknown("arm", arm if dot else name, names))
    if statistic not in STATISTICS:
        raise InputError(f"--check {text!r}: " + unknown("statistic", statistic, STATISTICS))
    return Term(arm, statistic)
