"""The claims of the h2load study over weak networks (2022): what of a run is compared for each.

Where the study says h1.1 it doesn't say whether over TLS: each claim is read with every arm over HTTP/1.1,
and with every origin."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.claims.bounds import Bounds, Rate, Ratio, over, part, rates
from pronghorn.analysis.contrasts import over_http3, protocol
from pronghorn.analysis.numbers import listed
from pronghorn.analysis.terms import Terms
from pronghorn.model.published import Published
from pronghorn.model.summary import Claim, Part, Reading, State

STRONGLY = 1.5
"""Favoured strongly: half as many requests again, or more. In the study loss favours h3 by 1.70, corruption
by 3.51."""

HARDLY = 1.1
"""Favoured hardly at all: by no more than a tenth. In the study duplication favours h3 by 1.03."""

MAKES_UP = 2.0
"""Duplication makes up for loss where it at least doubles what loss leaves. In the study it is 16.5 times as
much for h1, 6.5 times for h3."""

HARDLY_CHANGED = 1.25
"""A balance is hardly changed where it moves by less than a quarter, up or down. In the study: by 1.05."""


class _Pair(NamedTuple):
    """An origin's cells by path, with one site, and the two arms that are compared there."""

    origin: str
    cells: dict[str, CellTrials]
    arm: str
    against: str
    published: Published
    terms: Terms

    def rates(self, path: str) -> tuple[Rate, Rate]:
        """The rates of both arms on a path."""
        arms = (self.arm, self.against)
        mine, theirs = rates(self.cells.get(path), arms, self.terms.seed, self.terms.resamples)
        return mine, theirs

    def balance(self, path: str) -> Ratio:
        """How many requests a second the arm makes over what the other does."""
        mine, theirs = self.rates(path)
        said = _over(self.told(path, self.arm), self.told(path, self.against))
        return over(f"{self.arm} ÷ {self.against} on {path}", mine, theirs, said)

    def told(self, path: str, arm: str) -> float | None:
        """What was published of an arm's protocol on a path."""
        row = self.published.row(path)
        figures = row.of(protocol(arm)) if row else None
        return figures.requests_per_second if figures else None


def judge(published: Published, cells: Sequence[CellTrials], terms: Terms) -> list[Claim]:
    """The four claims, each in every reading; empty where no arm is over HTTP/3, or none over HTTP/1.1."""
    pairs = _pairs(published, cells, terms)
    parts = (_delay, _loss_and_corruption, _duplication, _delay_added)
    if not pairs:
        return []
    return [
        _claim(text, [(pair, of(pair)) for pair in pairs])
        for text, of in zip(published.claims, parts, strict=True)
    ]


def _delay(pair: _Pair) -> list[Part]:
    return [part(pair.balance("delay"), Bounds(most=1 + pair.terms.margin))]


def _loss_and_corruption(pair: _Pair) -> list[Part]:
    return [
        part(pair.balance("loss"), Bounds(least=STRONGLY)),
        part(pair.balance("corrupt"), Bounds(least=STRONGLY)),
        part(pair.balance("duplicate"), Bounds(most=HARDLY)),
    ]


def _duplication(pair: _Pair) -> list[Part]:
    made_up = [
        part(
            over(
                f"{arm} on loss-duplicate ÷ on loss",
                pair.rates("loss-duplicate")[place],
                pair.rates("loss")[place],
                _over(pair.told("loss-duplicate", arm), pair.told("loss", arm)),
            ),
            Bounds(least=MAKES_UP),
        )
        for place, arm in enumerate((pair.arm, pair.against))
    ]
    return [*made_up, part(pair.balance("loss-duplicate"), Bounds(most=1.0))]


def _delay_added(pair: _Pair) -> list[Part]:
    upper, lower = pair.balance("delay-loss"), pair.balance("loss")
    what = f"{pair.arm} ÷ {pair.against} on delay-loss over the same on loss"
    changed = over(what, upper, lower, _over(upper.theirs, lower.theirs))
    return [part(changed, Bounds(1 / HARDLY_CHANGED, HARDLY_CHANGED))]


def _pairs(published: Published, cells: Sequence[CellTrials], terms: Terms) -> list[_Pair]:
    arms = cells[0].arms if cells else ()
    mine = next((arm for arm in arms if over_http3(arm)), None)
    theirs = [arm for arm in arms if protocol(arm) == "h1"]
    if mine is None:
        return []
    several_sites = len({one.cell.site for one in cells}) > 1
    by_origin: dict[str, dict[str, CellTrials]] = {}
    for one in cells:
        name = f"{one.cell.origin} ({one.cell.site})" if several_sites else one.cell.origin
        by_origin.setdefault(name, {})[one.cell.path] = one
    return [
        _Pair(origin, paths, mine, against, published, terms)
        for origin, paths in by_origin.items()
        for against in theirs
    ]


def _claim(text: str, found: Sequence[tuple[_Pair, list[Part]]]) -> Claim:
    readings = [
        Reading(
            origin=pair.origin,
            arm=pair.arm,
            against=pair.against,
            state=_all([one.state for one in parts]),
            parts=parts,
        )
        for pair, parts in found
    ]
    states = {reading.state for reading in readings}
    state: State = states.pop() if len(states) == 1 else "undecided"
    return Claim(claim=text, state=state, readings=readings, words=_words(text, state, readings))


def _all(states: Sequence[State]) -> State:
    """A claim of several parts: reproduced where all are, not reproduced where any isn't."""
    if "not reproduced" in states:
        return "not reproduced"
    return "undecided" if "undecided" in states else "reproduced"


def _words(text: str, state: State, readings: Sequence[Reading]) -> str:
    said: dict[State, list[str]] = {"reproduced": [], "not reproduced": [], "undecided": []}
    for reading in readings:
        said[reading.state].append(f"{reading.origin} against {reading.against}")
    if len([names for names in said.values() if names]) == 1:
        return f"“{text}” {state}, with {listed(said[state])}."
    parts = [f"{one} with {listed(names)}" for one, names in said.items() if names]
    return f"“{text}” depends: {'; '.join(parts)}."


def _over(upper: float | None, lower: float | None) -> float | None:
    return upper / lower if upper is not None and lower is not None else None
