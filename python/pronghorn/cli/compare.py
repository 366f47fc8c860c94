"""`pronghorn compare`: a run beside an earlier one, before and after a change."""

from pathlib import Path
from typing import Annotated

import typer

from pronghorn.analysis.numbers import listed
from pronghorn.before_after import changes as before_after
from pronghorn.before_after import recorded, terminal
from pronghorn.checks import cases, of_two
from pronghorn.checks.result import Result
from pronghorn.cli import checked, named_run, pipeline_outputs
from pronghorn.cli.results import writing_results
from pronghorn.model.changes import Changes, Checked, CheckedCell
from pronghorn.model.loaded import Unmeasured
from pronghorn.terminal import Terminal

_CHECK_HELP = (
    "Exit with status 1 unless this holds. Either ARM after/before METRIC < NUMBER (or <=, >, >=, ==, "
    "!=), the ratio of medians, by default of the metric that decides the verdict. Or ARM is VERDICT, or "
    "ARM is not VERDICT (faster, slower, same, undecided) than before. 'on CELLS' names where; arms and "
    "cells may contain *. 'surely' before it demands the whole 95 % interval. Examples: 'h3 after/before "
    "load < 1.05 on lte', '* is not slower'."
)


def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The directory of the earlier run.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The directory of the later run.")],
    checks: Annotated[list[str] | None, typer.Option("--check", metavar="EXPR", help=_CHECK_HELP)] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help=pipeline_outputs.JUNIT_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Say what changed from one run to another of the same cells, such as before and after a server's change,
    by how much and how sure that is."""
    for run in (before, after):
        named_run.check(run)
    files = pipeline_outputs.asked(None, junit)
    found = before_after.compare(recorded.read(before), recorded.read(after))
    results = of_two.evaluate([of_two.parse(text, found) for text in checks or ()], found)
    pipeline_outputs.write_junit(
        files.junit,
        f"{found.name}, before and after",
        results,
        _verdicts(found),
        started=found.started_after,
        properties={"before": found.before, "after": found.after},
    )
    with writing_results():
        if as_json:
            told = found.model_copy(update={"checks": [_told(result) for result in results]})
            print(told.model_dump_json(indent=2))
        else:
            terminal.render(found, Terminal())
    checked.tell(results, _unmeasured(found))


def _unmeasured(found: Changes) -> Unmeasured | None:
    """Why nothing can be compared: in no cell has an arm loads that succeeded in both runs, nor a verdict."""
    led = [change for cell in found.cells for change in cell.led()]
    if any(one.verdict != "undecided" or all(one.measured) for one in led):
        return None
    runs = (found.before, found.after)
    never = [path for place, path in enumerate(runs) if not any(one.measured[place] for one in led)]
    who = f"no load in {listed(never)} succeeded" if never else "no arm loaded in both runs"
    return Unmeasured(
        text=f"Nothing could be compared: {who}.",
        remedy=f"Its report has the reason: pronghorn report {never[0] if never else found.after}",
    )


def _verdicts(found: Changes) -> list[cases.Case]:
    return [
        cases.of_verdict(f"{change.arm} after against before [{cell.title}]", change.verdict, change.words)
        for cell in found.cells
        for change in cell.led()
    ]


def _told(result: Result) -> Checked:
    cells = [CheckedCell(**finding._asdict()) for finding in result.findings]
    return Checked(check=result.check, holds=result.holds, cells=cells)
