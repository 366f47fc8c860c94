"""Claims about a run beside an earlier one, such as `h3 after/before < 1.05` or `* is not slower`.

    CLAIM  = CHANGE OP NUMBER | ARM "is" ["not"] VERDICT
    CHANGE = ARM "after/before" [METRIC] ["median"]
    OP     = "<" | "<=" | ">" | ">=" | "==" | "!="

An ARM may have wildcards: the claim must hold of all arms that it names. A verdict, as a change without a
METRIC, is about the metric that decides in the cell.
"""

import math
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from pronghorn.analysis.verdict import MINIMUM_BLOCKS
from pronghorn.checks import language
from pronghorn.checks.judged import finding
from pronghorn.checks.known import Known, ends, exact
from pronghorn.checks.language import COMPARISON, Expectation, Said
from pronghorn.checks.result import Finding, Result
from pronghorn.checks.verdicts import evidence, expected
from pronghorn.errors import InputError, unknown
from pronghorn.model.changes import ArmChange, CellChange, Changes
from pronghorn.model.trial import Cell

_CHANGE = re.compile(r"(\S+)\s+after/before((?:\s+\S+)*)")
_FORM = "write ARM after/before < NUMBER or ARM is [not] VERDICT, such as 'h3 after/before < 1.05 on lte'"


class Bound(NamedTuple):
    """A bound of an arm's ratio of after to before; `metric` None is the one that decides."""

    arm: str
    metric: str | None
    operator: str
    number: float


class Check(NamedTuple):
    """A parsed check: the sentence, the cells it is about, and what must hold in each."""

    said: Said
    cells: tuple[Cell, ...]
    claim: Bound | Expectation


def parse(text: str, changes: Changes) -> Check:
    """The check that `text` says of two runs; InputError where it says none."""
    said = language.split(text)
    cells = language.matching(said, [cell.cell for cell in changes.cells])
    named = [cell for cell in changes.cells if cell.cell in cells]
    claim = language.expectation(said) or _bound(said, named)
    arms = list(dict.fromkeys(change.arm for cell in named for change in cell.changes))
    if not any(fnmatchcase(arm, claim.arm) for arm in arms):
        raise InputError(f"--check {text!r}: " + unknown("arm", claim.arm, arms))
    return Check(said, cells, claim)


def evaluate(checks: Iterable[Check], changes: Changes) -> list[Result]:
    """What becomes of checks of two runs."""
    return [
        Result(
            check.said.text,
            tuple(
                found
                for cell in changes.cells
                if cell.cell in check.cells
                for found in _of_cell(check, cell, changes.margin)
            ),
        )
        for check in checks
    ]


def _of_cell(check: Check, cell: CellChange, margin: float) -> list[Finding]:
    """The findings in a cell: one for each change that is meant, a failed one where there is none."""
    found = [_judge(check, cell, change, margin) for change in _meant(check.claim, cell)]
    metrics = ", ".join(dict.fromkeys(change.metric for change in cell.changes))
    return found or [Finding(cell.title, False, f"not compared: this cell's metrics are {metrics}")]


def _meant(claim: Bound | Expectation, cell: CellChange) -> Sequence[ArmChange]:
    metric = cell.leading if isinstance(claim, Expectation) else claim.metric or cell.leading
    return [one for one in cell.changes if one.metric == metric and fnmatchcase(one.arm, claim.arm)]


def _judge(check: Check, cell: CellChange, change: ArmChange, margin: float) -> Finding:
    title = f"{cell.title}, {change.arm}"
    told = change.words.removeprefix(f"{cell.title}: ")
    claim = check.claim
    if isinstance(claim, Expectation):
        holds, doubtful = expected(claim, change, margin=margin, surely=check.said.surely)
        return Finding(title, holds, evidence(claim, change, told), doubtful=doubtful)
    if change.ratio is None:
        return Finding(title, False, f"{told}; the ratio is not known")
    enough = min(change.blocks_before, change.blocks_after) >= MINIMUM_BLOCKS
    ratio = Known(change.ratio, ends(change.ci95) if enough else None)
    return finding(
        title,
        (ratio, claim.operator, exact(claim.number)),
        surely=check.said.surely,
        told=told,
        show=lambda number: "∞" if math.isinf(number) else f"{number:.3g}",
        blocks=enough,
    )


def _bound(said: Said, cells: Sequence[CellChange]) -> Bound:
    split = COMPARISON.fullmatch(said.claim)
    change = None if split is None else _CHANGE.fullmatch(split[1].strip())
    number = None if split is None else language.number(split[3])
    if split is None or change is None or number is None:
        raise InputError(f"--check {said.text!r}: this is no claim about two runs; {_FORM}.")
    words = change[2].split()
    metrics = sorted({one.metric for cell in cells for one in cell.changes})
    metric = words.pop(0) if words and words[0] in metrics else None
    if words and words[0] == "median":
        words.pop(0)
    if words:
        raise InputError(f"--check {said.text!r}: " + unknown("metric", words[0], (*metrics, "median")))
    return Bound(change[1], metric, split[2], number)
