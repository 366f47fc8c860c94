"""What became of a check, cell by cell, with the evidence."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

NOWHERE = "no cell matches it"
"""The words for a check without findings."""


class Finding(NamedTuple):
    """A check in one cell, by the cell's title: whether it holds, what was found, and whether it holds by the
    estimate alone, so that another run may find otherwise."""

    title: str
    holds: bool
    found: str
    doubtful: bool = False


class Result(NamedTuple):
    """A check and what was found in each cell that it is about."""

    check: str
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether it holds in all of them. Of no cell at all nothing holds."""
        return bool(self.findings) and all(finding.holds for finding in self.findings)


def lines(results: Iterable[Result]) -> Iterator[str]:
    """What to tell of checks: every cell in which one fails, or holds by the estimate alone."""
    for result in results:
        if result.holds:
            places = len(result.findings)
            yield f"check holds: {result.check}" + (f" (in all {places})" if places > 1 else "")
        if not result.findings:
            yield f"check failed: {result.check} ({NOWHERE})"
        for finding in result.findings:
            if not finding.holds:
                yield f"check failed: {result.check} ({finding.title}: {finding.found})"
            elif finding.doubtful:
                yield f"check in doubt: {result.check} ({finding.title}: {finding.found})"
