"""A replication on a terminal: each study in detail, and at the end one table of all claims."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pronghorn.analysis.numbers import count
from pronghorn.model.summary import State
from pronghorn.replicate import words
from pronghorn.replicate.result import ClaimFound, ReadingFound, StudyFound, Tested
from pronghorn.terminal import Terminal

MOST_REASONS = 3
"""The most reasons for a part that is not reproduced; a study's page has all of them."""

_COLOURS: dict[State, str] = {"reproduced": "green", "not reproduced": "red", "undecided": "yellow"}
_GRAVEST: tuple[State, ...] = ("not reproduced", "undecided", "reproduced")


def render(found: Sequence[StudyFound], console: Terminal) -> None:
    """Prints the studies; the table of their claims comes last, so that it remains in view."""
    for one in found:
        _render_study(one, console)
    _render_claims(found, console)


def _render_study(found: StudyFound, console: Terminal) -> None:
    console.print()
    console.print(Text.assemble((found.title, "bold"), (f"  {_runs(found)}", "dim")))
    for claim in found.claims:
        console.print()
        said = Text.assemble(f"{claim.claim} ", (claim.words, _COLOURS[claim.state]))
        console.print(Padding(said, (0, 0, 0, 2), expand=False))
        for reading in claim.readings:
            if len(claim.readings) > 1:
                console.print(Padding(Text(f"{reading.setting}:"), (0, 0, 0, 4), expand=False))
            console.print(Padding(_parts(reading), (0, 0, 0, 4), expand=False))
            for part in reading.unreproduced:
                why = Text(f"{part.what}: {' '.join(words.reasons(part)[:MOST_REASONS])}", style="dim")
                console.print(Padding(why, (0, 0, 0, 4), expand=False))
    if said_of_settings := words.sensitivity(found.effects):
        console.print()
        console.print(Padding(Text(words.SENSITIVITY), (0, 0, 0, 2)))
    for sentence in said_of_settings:
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 4), expand=False))


def _parts(reading: ReadingFound) -> Table:
    grid = _grid("what is compared", "wanted")
    for part in reading.parts:
        grid.add_row(
            words.quantity(part),
            words.bounds(part),
            words.theirs(part.theirs, part.kind, part.metric) + _contradicts(part),
            words.told(part.ours, part),
            Text(part.state, style=_COLOURS[part.state]),
        )
    return grid


def _render_claims(found: Sequence[StudyFound], console: Terminal) -> None:
    """One row a claim, with the part that decides it in the first setting."""
    grid = _grid("claim")
    for one in found:
        grid.add_row(Text(one.study, style="bold"))
        for claim in one.claims:
            part = _deciding(claim)
            more = len(claim.readings[0].parts) - 1
            grid.add_row(
                f"{claim.claim} ({part.what}{f', and {more} more' if more else ''})",
                words.theirs(part.theirs, part.kind, part.metric),
                words.ours(part.ours, part.kind, part.metric),
                Text(f"{claim.state}{_depends(claim)}", style=_COLOURS[claim.state]),
            )
    console.print()
    console.print(grid)


def _depends(claim: ClaimFound) -> str:
    """Why a claim may be undecided whose figure in the table decides."""
    differ = len({reading.state for reading in claim.readings}) > 1
    return f" (depends; here with {claim.readings[0].setting})" if differ else ""


def _deciding(claim: ClaimFound) -> Tested:
    """The part on which the first reading's verdict rests: one that isn't reproduced, else one that is
    undecided, else the first."""
    parts = claim.readings[0].parts
    counted = [part for part in parts if part.counted] or parts
    return min(counted, key=lambda part: _GRAVEST.index(part.state))


def _grid(*leading: str) -> Table:
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for heading in (*leading, "theirs", "ours, 95 % interval", "verdict"):
        grid.add_column(heading, overflow="fold")
    return grid


def _contradicts(part: Tested) -> str:
    return "" if part.counted else " (outside, too)"


def _runs(found: StudyFound) -> str:
    unfinished = [run.name for run in found.runs if not run.finished]
    trials = count(sum(run.trials for run in found.runs), "trial")
    more = f"; unfinished: {', '.join(unfinished)}" if unfinished else ""
    return f"{found.size} size, {trials}{more}"
