"""Warnings about origins and clients that did not do their part, with the words that they left."""

from collections.abc import Iterator, Sequence

from pronghorn.analysis.numbers import count
from pronghorn.model.caution import Caution
from pronghorn.model.trial import PROGRAM_FAILED, Trial


def cautions(trials: Sequence[Trial]) -> Iterator[Caution]:
    """A warning for each origin, and each client, that made trials fail."""
    found: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials:
        if trial.status == "failed" and trial.reason in PROGRAM_FAILED:
            whose = (
                ("origin", trial.cell.origin) if trial.reason == "origin" else ("client", trial.cell.client)
            )
            found.setdefault((trial.reason, *whose), []).append(trial)
    for (reason, kind, name), its in sorted(found.items()):
        yield Caution(
            f"{reason}-failed",
            f"The {kind} {name} failed in {count(len(its), 'trial')}, which count as failed loads. An "
            f"example: {its[0].cell}, {its[0].arm}: {str(its[0].detail).rstrip('.')}.",
            "Fix what the message says, or leave it out. 'detail' in trials.jsonl has each message.",
        )
