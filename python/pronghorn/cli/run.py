"""`pronghorn run`: an experiment, from its TOML to its verdicts."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pronghorn import capabilities
from pronghorn.cli import check
from pronghorn.cli.progress import watching
from pronghorn.cli.results import writing_results
from pronghorn.errors import EXIT_CHECK_FAILED, Interrupted
from pronghorn.execute import prepare
from pronghorn.execute.describe import describe
from pronghorn.execute.prepare import Request
from pronghorn.execute.run import Outcome, execute
from pronghorn.report import terminal

_CHECK_HELP = (
    "Fail (exit status 1) unless this holds. [PATH or SITE/PATH/ORIGIN/CLIENT, with * as a wildcard, and a "
    "colon] VALUE < VALUE, where a VALUE is a number, a time (2s, 80ms), ARM, ARM.STATISTIC (median, mean, "
    "p90, p99, min, max, n, failed, contaminated, of loads requests_per_second, total_p99 and the like; "
    "without one: median) or the ratio of two arms: 'lte:h3/h2 < 1.0', 'h3.failed == 0'. Or ARM is VERDICT "
    "(faster, slower, same, undecided): 'lte-*: h3 is faster'. It must hold in every cell it names."
)


def run(
    experiment: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="A TOML file, or the name of a shipped experiment (default: default).",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write the run (default: runs/TIME-NAME).")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the interrupted run in DIR.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Trials side by side where the path and not the CPU is the limit."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of every random draw.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Override a key: repeat=20, arms=h2,h3, path.lte.down.loss=5%."
        ),
    ] = None,
    checks: Annotated[list[str] | None, typer.Option("--check", metavar="EXPR", help=_CHECK_HELP)] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print summary.json on stdout instead of the table.")
    ] = False,
) -> None:
    """Run an experiment and say which arm is faster, by how much and how sure that is."""
    request = Request(experiment, out, resume, jobs, seed, tuple(overrides or ()), tuple(sys.argv))
    asked = prepare.resolve(request)
    capabilities.check(asked)
    wanted = [check.parse(text, asked) for text in checks or ()]
    with prepare.claim(request, asked) as directory:
        hello = prepare.greet()
        fitted = describe(prepare.fit(asked, hello, fall_back=prepare.may_fall_back(request)))
        if fitted is not asked:
            wanted = [check.parse(text, fitted) for text in checks or ()]
        try:
            with watching() as observer:
                outcome = execute(
                    fitted, hello, directory, observer, jobs=jobs, command_line=request.command_line
                )
        except Interrupted:
            command = shlex.join(["pronghorn", "run", "--resume", str(directory.path)])
            raise Interrupted(
                "interrupted; what was measured is recorded.", hint=f"Go on with: {command}"
            ) from None
    failures = [failure for one in wanted if (failure := check.failure(one, outcome.summary))]
    with writing_results(outcome.report):
        _print(outcome, as_json=as_json)
    for failure in failures:
        print(f"check failed: {failure}", file=sys.stderr)
    if failures:
        raise typer.Exit(EXIT_CHECK_FAILED)


def _print(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        print(outcome.summary.model_dump_json(indent=2))
        print(f"Report: {outcome.report}", file=sys.stderr)
        for caution in outcome.cautions:
            print(f"warning ({caution.code}): {caution.text} {caution.remedy}", file=sys.stderr)
        return
    terminal.render(outcome.summary, Console())
    print(f"\nReport: {outcome.report}")
