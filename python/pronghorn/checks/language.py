"""The sentence around a claim.

    CHECK  = ["surely"] CLAIM ["on" CELLS]  |  ["surely"] CELLS ":" CLAIM
    CELLS  = PATH | SITE "/" PATH "/" ORIGIN "/" CLIENT      with * as a wildcard; without it every cell

`surely` asks for what the 95 % interval supports, not for what the estimate says.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, get_args

from pronghorn.errors import InputError, unknown
from pronghorn.model.comparison import Verdict
from pronghorn.model.trial import Cell

VERDICTS: tuple[str, ...] = get_args(Verdict)

COMPARISON = re.compile(r"(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+)", re.DOTALL)
"""A claim's left side, its operator and its right side."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(s|ms)?")
_SURELY = re.compile(r"surely\s+(.*)", re.DOTALL)
_ON = re.compile(r"(.*\S)\s+on\s+(\S.*)", re.DOTALL)
_VERDICT = re.compile(r"(\S+)\s+is\s+(not\s+)?(\S+)")


class Said(NamedTuple):
    """A check taken apart: what was written, whether it must hold surely, which cells it names, its claim."""

    text: str
    surely: bool
    cells: str
    claim: str


class Expectation(NamedTuple):
    """A verdict that is expected of an arm, or (`negated`) any other than it."""

    arm: str
    verdict: str
    negated: bool


def split(text: str) -> Said:
    """The parts of a check; InputError where it names its cells twice."""
    surely, rest = _surely(text.strip())
    cells = None
    head, colon, tail = rest.partition(":")
    if colon and not re.search(r"[<>=]|\s(?:is|on)\s", head):
        cells, rest = head.strip(), tail.strip()
        again, rest = _surely(rest)
        surely = surely or again
    if (found := _ON.fullmatch(rest)) is not None:
        if cells is not None:
            raise InputError(
                f"--check {text!r}: names its cells twice, {cells!r} and {found[2]!r}. Leave out one."
            )
        rest, cells = found[1], found[2].strip()
    return Said(text, surely, cells or "*", rest)


def matching(said: Said, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Those of `cells` that a check is about; InputError where it is about none of them."""
    found = tuple(cell for cell in cells if matches(cell, said.cells))
    if not found:
        paths = [cell.path for cell in cells]
        raise InputError(f"--check {said.text!r}: " + unknown("path or cell", said.cells, paths))
    return found


def matches(cell: Cell, pattern: str) -> bool:
    """Whether a pattern names a cell, by its path or in full, with or without its kernel."""
    names = (cell.path, str(cell), str(cell.on_any_kernel))
    return any(fnmatchcase(name, pattern) for name in names)


def expectation(said: Said) -> Expectation | None:
    """The verdict that a claim expects; None where it is none about a verdict, InputError where there is no
    such verdict."""
    found = _VERDICT.fullmatch(said.claim)
    if found is None:
        return None
    if found[3] not in VERDICTS:
        raise InputError(f"--check {said.text!r}: " + unknown("verdict", found[3], VERDICTS))
    return Expectation(found[1], found[3], negated=found[2] is not None)


def number(text: str) -> float | None:
    """A number, of a time its seconds; None where the text is none."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else float(found[1]) / (1000 if found[2] == "ms" else 1)


def _surely(text: str) -> tuple[bool, str]:
    found = _SURELY.fullmatch(text)
    return (True, found[1].strip()) if found else (False, text)
