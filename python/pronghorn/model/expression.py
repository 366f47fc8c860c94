"""What a published claim compares, as text: `h3 / h2`, `h3[loss] / h3[delay]`, `h2 - h3`.

A term is an arm, or a quantity that a study names, in a case: the one in brackets, else the one that the
expression is read for. Terms are all multiplied and divided, or all added and subtracted.
"""

import re
from itertools import groupby
from typing import Literal, NamedTuple

Kind = Literal["ratio", "difference"]

_TERM = re.compile(r"(?P<arm>[^\s\[\]]+)(?:\[(?P<case>[^\[\]]+)\])?")
_SIGNS: dict[str, tuple[Kind, int]] = {
    "*": ("ratio", 1),
    "/": ("ratio", -1),
    "+": ("difference", 1),
    "-": ("difference", -1),
}


class Term(NamedTuple):
    """An arm in a case; `sign` is its power in a ratio (1 or -1), its sign in a difference."""

    arm: str
    case: str
    sign: int = 1


class Expression(NamedTuple):
    """Terms, and how they are put together."""

    kind: Kind
    terms: tuple[Term, ...]

    @property
    def neutral(self) -> float:
        """What it is where nothing differs."""
        return 1.0 if self.kind == "ratio" else 0.0


def parse(text: str, case: str = "") -> Expression:
    """The expression that `text` is, read for `case`; ValueError where it is none."""
    words = re.findall(r"[^\s\[\]]+(?:\[[^\[\]]*\])?", text)
    if len(words) % 2 == 0:
        raise ValueError(f"{text!r}: terms and operators have to alternate")
    kinds: set[Kind] = set()
    terms = []
    for place in range(0, len(words), 2):
        sign = 1
        if place:
            if words[place - 1] not in _SIGNS:
                raise ValueError(f"{text!r}: {words[place - 1]!r} is no operator; there are * / + -")
            kind, sign = _SIGNS[words[place - 1]]
            kinds.add(kind)
        found = _TERM.fullmatch(words[place])
        if found is None or words[place] in _SIGNS:
            raise ValueError(f"{text!r}: {words[place]!r} is no term")
        terms.append(Term(found["arm"], found["case"] or case, sign))
    if len(kinds) > 1:
        raise ValueError(f"{text!r}: either products and ratios, or sums and differences")
    return Expression(next(iter(kinds), "difference"), tuple(terms))


def worded(expression: Expression) -> str:
    """The expression for a person: `h3 ÷ h1 on loss`, `h3 ÷ h1 on delay-loss over the same on loss`."""
    groups = [(case, tuple(terms)) for case, terms in groupby(expression.terms, key=lambda term: term.case)]
    first, *others = groups
    said = [_on(expression.kind, *first)]
    for case, terms in others:
        mirrored = tuple((term.arm, -term.sign) for term in terms) == tuple(
            (term.arm, term.sign) for term in first[1]
        )
        if mirrored and len(terms) > 1:
            said.append(f"{'over' if expression.kind == 'ratio' else 'less'} the same on {case}")
            continue
        operator = _operator(expression.kind, terms[0].sign)
        said.append(f"{operator} {_on(expression.kind, case, terms)}")
    return " ".join(said)


def _on(kind: Kind, case: str, terms: tuple[Term, ...]) -> str:
    said = terms[0].arm
    for term in terms[1:]:
        said += f" {_operator(kind, term.sign * terms[0].sign)} {term.arm}"
    return f"{said} on {case}" if case else said


def _operator(kind: Kind, sign: int) -> str:
    if kind == "ratio":
        return "×" if sign > 0 else "÷"
    return "+" if sign > 0 else "−"
