"""What the facts say, one file a subject: pure functions from facts to findings and unknown points.

A finding is certain from what was seen. What could not be seen is an Unknown, never a guess.
"""

from collections.abc import Callable, Iterator

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
    findings = [each for each in told if isinstance(each, Finding)]
    findings.sort(key=lambda each: SEVERITIES.index(each.severity))
    unknown = [each for each in told if isinstance(each, Unknown)]
    return findings, [*unknown, *(Unknown(point, why) for point, why in facts.unknown)]
