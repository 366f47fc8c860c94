"""What the rules say of a host: findings, and what could not be found out."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")
"""The worst first. An error: visitors see a failure, or h3 is advertised but can't be used. A warning: some
visitors see a failure, or every visitor waits longer. A notice: it costs little today."""


@dataclass(frozen=True)
class Finding:
    """One fault that is certain from what was seen. `code` names its kind (docs/check.md); `seen` is what was
    seen and where, `effect` what it does to a visitor, `fix` what to change."""

    code: str
    severity: Severity
    seen: str
    effect: str
    fix: str


@dataclass(frozen=True)
class Unknown:
    """A point that could not be found out, and why."""

    point: str
    why: str


def reaches(finding: Finding, severity: Severity) -> bool:
    """Whether a finding is as bad as `severity`, or worse."""
    return SEVERITIES.index(finding.severity) <= SEVERITIES.index(severity)
