"""How much an arm's page loads loaded, and what they left out: what stands beside its verdict."""

import statistics
from collections.abc import Mapping, Sequence

from pronghorn.analysis.numbers import count, size
from pronghorn.analysis.times import has_failed
from pronghorn.model import load
from pronghorn.model.loaded import LeftOutFor, Loaded
from pronghorn.model.summary import ArmSummary, CellSummary
from pronghorn.model.trial import PageLoad, Trial

_EXAMPLES = 5


def loaded(trials: Sequence[Trial]) -> Loaded | None:
    """What the page loads among an arm's `trials` loaded; None where none of them succeeded."""
    done = [trial for trial in trials if not has_failed(trial) and trial.cell.client != load.CLIENT]
    if not done:
        return None
    told = [trial for trial in done if requests_of(trial) is not None]
    pages = [trial.page for trial in done if trial.page is not None]
    most = max(pages, key=lambda page: page.left_out_count, default=None)
    return Loaded(
        requests=statistics.median([trial.metrics.requests for trial in told]) if told else None,
        bytes=statistics.median([trial.metrics.bytes for trial in told]) if told else None,
        left_out=statistics.median([page.left_out_count for page in pages]) if pages else 0,
        tolerated=statistics.median([trial.metrics.failures for trial in done]),
        left_out_for=_reasons(most) if most is not None else {},
        scripts_not_run=_scripts(pages),
    )


def requests_of(trial: Trial) -> int | None:
    """How many requests of a page load travelled; None where nobody tells."""
    made = trial.metrics.requests
    known = made > 0 or (trial.page is not None and trial.page.tells_requests)
    return made if known else None


def makes_no_request(trials: Sequence[Trial]) -> bool:
    """Whether the page loads of an arm, as far as they succeed, make no request at all: more than half of
    those that tell don't."""
    found = loaded(trials)
    return found is not None and found.requests == 0


def words(arms: Mapping[str, ArmSummary]) -> str:
    """What loads loaded, in a sentence; one for all arms that loaded alike. Empty where nobody tells."""
    by_words: dict[str, list[str]] = {}
    for name, arm in arms.items():
        if arm.loaded is not None and (said := extent(arm.loaded)):
            by_words.setdefault(said, []).append(name)
    if not by_words:
        return ""
    if len(by_words) == 1 and len(next(iter(by_words.values()))) == len(arms):
        return f"Each load: {next(iter(by_words))}."
    parts = [f"{', '.join(names)} {said}" for said, names in by_words.items()]
    return f"A load: {'; '.join(parts)}."


def extent(found: Loaded) -> str:
    """`21 requests, 600 kB, 2 left out, 1 failure tolerated`; empty where nobody tells."""
    parts = []
    if found.requests is not None:
        parts += [_number(found.requests, "request"), size(found.bytes)]
    if found.left_out:
        parts.append(f"{found.left_out:g} left out")
    if found.scripts_not_run is not None:
        parts.append(f"{count(found.scripts_not_run.named, 'script')} not run")
    if found.tolerated:
        parts.append(f"{_number(found.tolerated, 'failure')} tolerated")
    return ", ".join(parts)


def left_out(cell: CellSummary) -> list[tuple[str, str, LeftOutFor]]:
    """What was left out in a cell, reason by reason: of which arms, for which reason, and what."""
    by_arms: dict[str, tuple[list[str], dict[str, LeftOutFor]]] = {}
    for name, arm in cell.arms.items():
        if arm.loaded is None:
            continue
        reasons = dict(arm.loaded.left_out_for)
        if arm.loaded.scripts_not_run is not None:
            reasons["scripts not run that may make requests"] = arm.loaded.scripts_not_run
        by_arms.setdefault(repr(reasons), ([], reasons))[0].append(name)
    return [
        (", ".join(names), why, found)
        for names, reasons in by_arms.values()
        for why, found in reasons.items()
    ]


def _scripts(pages: Sequence[PageLoad]) -> LeftOutFor | None:
    most = max(pages, key=lambda page: page.scripts_not_run_count, default=None)
    if most is None or not most.scripts_not_run_count:
        return None
    return LeftOutFor(named=most.scripts_not_run_count, examples=most.scripts_not_run[:_EXAMPLES])


def _number(median: float, noun: str) -> str:
    return count(int(median), noun) if median == int(median) else f"{median:g} {noun}s"


def _reasons(page: PageLoad) -> dict[str, LeftOutFor]:
    by_reason: dict[str, list[str]] = {}
    for one in page.left_out:
        by_reason.setdefault(one.why, []).append(one.url)
    return {
        why: LeftOutFor(named=len(urls), examples=list(dict.fromkeys(urls))[:_EXAMPLES])
        for why, urls in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    }
