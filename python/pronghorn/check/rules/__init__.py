"""What the facts say, one file a subject: pure functions from facts to findings and unknown points.

A finding is certain from what was seen. What could not be seen is an Unknown, never a guess.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pronghorn.check.facts import Facts
from pronghorn.check.finding import SEVERITIES, Finding, Unknown
from pronghorn.check.rules import (
    addresses,
    advertising,
    certificates,
    early,
    forwarded,
    limits,
    quic,
    records,
    same,
    tls,
)

RULES: tuple[Callable[[Facts], Iterator[Finding | Unknown]], ...] = (
    certificates.rule,
    tls.rule,
    records.rule,
    advertising.rule,
    quic.rule,
    limits.rule,
    early.rule,
    same.rule,
    forwarded.rule,
    addresses.rule,
)


def judge(facts: Facts) -> tuple[list[Finding], list[Unknown]]:
    """The findings, the worst first, and what stays unknown."""
    told = [each for rule in RULES for each in rule(facts)]
    for hop in facts.hops:
        where = f"{hop.target.shown}, which redirects"
        told += [
            _at(where, each) for rule in (certificates.rule, tls.fails, addresses.rule) for each in rule(hop)
        ]
    findings = [each for each in told if isinstance(each, Finding)]
    findings.sort(key=lambda each: SEVERITIES.index(each.severity))
    unknown = [each for each in told if isinstance(each, Unknown)]
    return findings, [*unknown, *(Unknown(point, why) for point, why in facts.unknown)]


def _at(where: str, told: Finding | Unknown) -> Finding | Unknown:
    if isinstance(told, Unknown):
        return replace(told, point=f"{where}: {told.point}")
    return replace(told, seen=f"{where}: {told.seen}")
