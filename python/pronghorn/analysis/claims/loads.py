"""A run of loads against the study that its experiment names: the study's claims in each reading that the
run allows.

Where a study says h1 it may not say whether over TLS: each claim is read with every arm over HTTP/1.1, and
with every origin."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.claims.bounds import agreed, every, state
from pronghorn.analysis.claims.judged import Statement, statements
from pronghorn.analysis.claims.sampled import Located, Sampler
from pronghorn.analysis.contrasts import over_http3, protocol
from pronghorn.analysis.figures import finite
from pronghorn.analysis.numbers import listed
from pronghorn.analysis.terms import Terms
from pronghorn.model.expression import Expression, Term, worded
from pronghorn.model.study import Study, StudyClaim
from pronghorn.model.summary import Claim, Part, Reading, State


class _Pair(NamedTuple):
    """An origin's cells by path, with one site, and the two arms that are compared there."""

    origin: str
    cells: dict[str, CellTrials]
    arm: str
    against: str

    def name(self, arm: str) -> str:
        """The run's arm that one of the study's stands for."""
        return {protocol(self.arm): self.arm, protocol(self.against): self.against}.get(arm, arm)

    def locate(self, term: Term) -> Located | None:
        """Where a term was measured."""
        found, arm = self.cells.get(term.case), self.name(term.arm)
        return Located(found, arm) if found is not None and arm in found.arms else None


def judge(study: Study, cells: Sequence[CellTrials], terms: Terms) -> list[Claim]:
    """The study's claims, each in every reading; empty where no arm is over HTTP/3, or none over HTTP/1.1. Of
    `terms` seed and resamples are looked at."""
    pairs = list(_pairs(cells))
    sampler = Sampler(terms.seed, terms.resamples)
    return [_claim(study, claim, pairs, sampler) for claim in study.claims] if pairs else []


def _pairs(cells: Sequence[CellTrials]) -> Iterator[_Pair]:
    arms = cells[0].arms if cells else ()
    mine = next((arm for arm in arms if over_http3(arm)), None)
    if mine is None:
        return
    several_sites = len({one.cell.site for one in cells}) > 1
    by_origin: dict[str, dict[str, CellTrials]] = {}
    for one in cells:
        name = f"{one.cell.origin} ({one.cell.site})" if several_sites else one.cell.origin
        by_origin.setdefault(name, {})[one.cell.path] = one
    for origin, paths in by_origin.items():
        for against in arms:
            if protocol(against) == "h1":
                yield _Pair(origin, paths, mine, against)


def _claim(study: Study, claim: StudyClaim, pairs: Sequence[_Pair], sampler: Sampler) -> Claim:
    tested = [statement for part in claim.parts for statement in statements(study, part)]
    readings = []
    for pair in pairs:
        parts = [_part(statement, pair, sampler) for statement in tested]
        readings.append(
            Reading(
                origin=pair.origin,
                arm=pair.arm,
                against=pair.against,
                state=every([one.state for one in parts]),
                parts=parts,
            )
        )
    found = agreed([reading.state for reading in readings])
    return Claim(claim=claim.text, state=found, readings=readings, words=_words(claim.text, readings))


def _part(statement: Statement, pair: _Pair, sampler: Sampler) -> Part:
    found = sampler.evaluate(statement.compared, pair.locate, statement.metric, statement.statistic)
    reached, reason = state(found, statement.bounds)
    named = tuple(term._replace(arm=pair.name(term.arm)) for term in statement.compared.terms)
    return Part(
        what=worded(Expression(statement.compared.kind, named)),
        least=statement.bounds.least,
        most=statement.bounds.most,
        ratio=finite(found.value),
        ci95=(finite(found.low), finite(found.high)),
        theirs=statement.theirs[0] if statement.theirs is not None else None,
        state=reached,
        reason=reason,
        failed=dict(found.failed),
    )


def _words(text: str, readings: Sequence[Reading]) -> str:
    said: dict[State, list[str]] = {"reproduced": [], "not reproduced": [], "undecided": []}
    for reading in readings:
        said[reading.state].append(f"{reading.origin} against {reading.against}")
    met = [found for found, names in said.items() if names]
    if len(met) == 1:
        return f"“{text}” {met[0]}, with {listed(said[met[0]])}."
    parts = [f"{found} with {listed(said[found])}" for found in met]
    return f"“{text}” depends: {'; '.join(parts)}."
