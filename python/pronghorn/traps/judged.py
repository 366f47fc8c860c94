"""All rules, held against all facts."""

from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.traps.catalogue import DEAD_ADDRESS, MTU, NOT_OFFERED, OFFER_DEAD, REDIRECT, TRAPS, Mend
from pronghorn.traps.compared import slower_s
from pronghorn.traps.facts import Facts
from pronghorn.traps.finding import Finding, Unknown
from pronghorn.traps.needs import missing
from pronghorn.traps.rules import RULES


class Judged(NamedTuple):
    """What the rules say: traps that fit (what to change first stands first), what is told beside them, what
    is not known, and the traps for which facts are missing. `server` is what the page's server calls
    itself, `shared_s` how much slower h3 is in all: several findings don't give more together."""

    findings: tuple[Finding, ...]
    beside: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]
    unjudged: tuple[Unknown, ...] = ()
    server: str | None = None
    shared_s: float | None = None

    @property
    def judged(self) -> list[str]:
        """The names of the traps of which is known whether they fit."""
        open_ = {one.trap.name for one in (*self.unknown, *self.unjudged)}
        return [one.name for one in TRAPS if one.harms and one.name not in open_]


_ORDER = [one.name for one in TRAPS]

_UNUSED = [one.name for one in (OFFER_DEAD, NOT_OFFERED, REDIRECT, DEAD_ADDRESS, MTU)]
"""Traps that keep h3 from being used at all."""


def judge(facts: Facts) -> Judged:
    """What fits. Ordered by what it may give; what keeps h3 from being used at all comes first."""
    answers = [one for rule in RULES if (one := rule(facts)) is not None]
    told = {one.trap.name for one in answers}
    found = sorted((one for one in answers if isinstance(one, Finding)), key=_place)
    lacking = [(one, missing(facts, one)) for one in TRAPS if one.harms and one.name not in told]
    hops = facts.offer.hops if facts.offer is not None else ()
    return Judged(
        tuple(one for one in found if one.trap.harms),
        tuple(one for one in found if not one.trap.harms),
        tuple(one for one in answers if isinstance(one, Unknown)),
        tuple(Unknown(trap, why) for trap, why in lacking if why is not None),
        hops[-1].server if hops else None,
        slower_s(facts),
    )


def _place(one: Finding) -> tuple[bool, float, int]:
    return one.trap.name not in _UNUSED, -(one.gain_s or 0.0), _ORDER.index(one.trap.name)


def advice(judged: Judged) -> str:
    """The last sentence: what to change first, and how much it may give."""
    if not judged.findings:
        return _nothing(judged)
    first = judged.findings[0]
    gives = f"It may save up to {seconds(first.gain_s)} of a load." if first.gain_s else ""
    if first.gain_s is None:
        gives = "These visits don't show how much it gives."
    several = sum(bool(one.gain_s) for one in judged.findings) > 1
    if several and judged.shared_s:
        gives += f" All findings of h3 together give no more than {seconds(judged.shared_s)}."
    settings = ", or ".join(f"{one.where}: {one.setting}" for one in _for(judged.server, first))
    settings = settings.replace(";, or ", "; or ")
    end = "" if settings.endswith(";") else "."
    return f"Change this first: {first.trap.name}, {settings}{end} {gives}".strip()


def _for(server: str | None, first: Finding) -> tuple[Mend, ...]:
    """The mends of the server that answers, by its header Server; all where none is of it."""
    name = (server or "").lower()
    return tuple(one for one in first.trap.mends if _is_of(one, name)) or first.trap.mends


def _is_of(mend: Mend, name: str) -> bool:
    return any(word.strip().lower() in name for word in mend.where.split(",")) if name else False


def _nothing(judged: Judged) -> str:
    opened = [f"{one.trap.name} ({one.why})" for one in judged.unjudged]
    if not opened and not judged.unknown:
        return "Nothing found: none of the known traps fits what was seen."
    all_of = sum(one.harms for one in TRAPS)
    said = f"{len(judged.judged)} of {all_of} traps could be judged, and none of them fits."
    above = " What is unknown stands above." if judged.unknown else ""
    return f"{said}{above}" + (f" Not judged: {'; '.join(opened)}." if opened else "")
