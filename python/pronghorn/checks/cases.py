"""Checks and verdicts as the test cases of a pipeline: one for each check in each cell, so that each has a
history of its own, and one for each verdict.

A verdict never fails: what must hold is for checks to say. An undecided one is skipped.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pronghorn.checks.result import NOWHERE, Result
from pronghorn.model.comparison import Verdict
from pronghorn.model.summary import Summary

CHECKS, VERDICTS = "checks", "verdicts"
"""The groups of cases."""


class Case(NamedTuple):
    """One test case: what it is called, how it ended, that in a word or two, and the evidence."""

    name: str
    outcome: Literal["passed", "failed", "skipped"]
    message: str
    evidence: str


def of_checks(results: Iterable[Result]) -> list[Case]:
    """A case for each check in each cell that it is about, and one for a check without any."""
    return [case for result in results for case in _of_check(result)]


def _of_check(result: Result) -> Iterator[Case]:
    if not result.findings:
        yield Case(result.check, "failed", "does not hold", f"{result.check}\n{NOWHERE}")
    for finding in result.findings:
        yield Case(
            f"{result.check} [{finding.title}]",
            "passed" if finding.holds else "failed",
            "does not hold" if not finding.holds else "in doubt" if finding.doubtful else "holds",
            f"{result.check}\n{finding.title}: {finding.found}",
        )


def of_run(summary: Summary) -> list[Case]:
    """A case for each verdict of a run."""
    return [
        of_verdict(f"{found.arm} against {found.baseline} [{cell.title}]", found.verdict, found.words)
        for cell in summary.cells
        for found in cell.led()
    ]


def of_verdict(name: str, verdict: Verdict, words: str) -> Case:
    """The case of one verdict."""
    return Case(name, "skipped" if verdict == "undecided" else "passed", verdict, words)
