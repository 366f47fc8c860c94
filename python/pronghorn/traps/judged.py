"""All rules, held against all facts."""

from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.traps.catalogue import DEAD_ADDRESS, MTU, NOT_OFFERED, OFFER_DEAD, REDIRECT, TRAPS
from pronghorn.traps.facts import Facts
from pronghorn.traps.finding import Finding, Unknown
from pronghorn.traps.rules import RULES


class Judged(NamedTuple):
    """What the rules say: traps that fit (what to change first stands first), what is told beside them, and
    what is not known."""

    findings: tuple[Finding, ...]
    beside: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]


_ORDER = [one.name for one in TRAPS]

_UNUSED = [one.name for one in (OFFER_DEAD, NOT_OFFERED, REDIRECT, DEAD_ADDRESS, MTU)]
"""Traps that keep h3 from being used at all."""


def judge(facts: Facts) -> Judged:
    """What fits. Ordered by what it may give; what keeps h3 from being used at all comes first."""
    answers = [one for rule in RULES if (one := rule(facts)) is not None]
    found = sorted((one for one in answers if isinstance(one, Finding)), key=_place)
    return Judged(
        tuple(one for one in found if one.trap.harms),
        tuple(one for one in found if not one.trap.harms),
        tuple(one for one in answers if isinstance(one, Unknown)),
    )


def _place(one: Finding) -> tuple[bool, float, int]:
    return one.trap.name not in _UNUSED, -(one.gain_s or 0.0), _ORDER.index(one.trap.name)


def advice(judged: Judged) -> str:
    """The last sentence: what to change first, and how much it may give."""
    if not judged.findings:
        if judged.unknown:
            return "None of the known traps is known to fit; what is unknown stands above."
        return "Nothing found: none of the known traps fits what was seen."
    first = judged.findings[0]
    mend = first.trap.mends[0]
    gives = f"It may save up to {seconds(first.gain_s)} of a load." if first.gain_s else ""
    if first.gain_s is None:
        gives = "These visits don't show how much it gives."
    return f"Change this first: {first.trap.name}, {mend.where}: {mend.setting}. {gives}".strip()
