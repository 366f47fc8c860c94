"""`pronghorn run`: an experiment, from its TOML to its verdicts."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn import capabilities, guest
from pronghorn.checks import of_run
from pronghorn.checks.intervals import Measured
from pronghorn.cli import checked, clocks, pipeline_outputs
from pronghorn.cli.progress import watching
from pronghorn.cli.results import writing_results
from pronghorn.conclude.finished import Outcome
from pronghorn.conduct import execute
from pronghorn.errors import Interrupted
from pronghorn.execute.describe import describe
from pronghorn.host import ability, awake
from pronghorn.model.experiment_values import CLOCKS
from pronghorn.report import screen, terminal
from pronghorn.runs import prepare
from pronghorn.runs.prepare import Request
from pronghorn.terminal import Terminal


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
        Path | None, typer.Option(metavar="DIR", help="Continue the interrupted run in DIR.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Concurrent trials, if the path and not the CPU is the limit."),
    ] = None,
    clock: Annotated[str | None, typer.Option(metavar="CLOCK", help=clocks.HELP_OF_RUNS)] = None,
    keep_awake: Annotated[bool, typer.Option("--awake", help=awake.HELP)] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of every random draw.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Override a key: repeat=20, arms=h2,h3, path.lte.down.loss=5%."
        ),
    ] = None,
    checks: Annotated[
        list[str] | None, typer.Option("--check", metavar="EXPR", help=checked.CHECK_HELP)
    ] = None,
    exports: Annotated[
        list[str] | None, typer.Option("--export", metavar="FORMAT[=FILE]", help=pipeline_outputs.EXPORT_HELP)
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help=pipeline_outputs.JUNIT_HELP)] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print summary.json on stdout instead of the table.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print each cell's table and sentences, and all warnings.")
    ] = False,
) -> None:
    """Run an experiment and say which arm is faster, by how much and how sure that is."""
    request = Request(
        experiment,
        out,
        resume,
        jobs,
        seed,
        tuple(overrides or ()),
        tuple(sys.argv),
        clocks.parsed(clock, CLOCKS),
    )
    asked = prepare.resolve(request)
    capabilities.check(asked)
    wanted = [of_run.parse(text, asked) for text in checks or ()]
    files = pipeline_outputs.asked(exports, junit)
    with prepare.claim(request, asked) as directory:
        hello = ability.greet_all(guest.engines(asked).values())
        fitted = describe(
            ability.fit(asked, hello, fall_back=prepare.may_fall_back(request) and not asked.in_guests)
        )
        if fitted is not asked:
            wanted = [of_run.parse(text, fitted) for text in checks or ()]
        try:
            with watching() as observer, awake.keeping(keep_awake):
                outcome = execute(
                    fitted,
                    hello,
                    directory,
                    observer,
                    jobs=jobs,
                    command_line=request.command_line,
                )
        except Interrupted:
            command = shlex.join(["pronghorn", "run", "--resume", str(directory.path)])
            raise Interrupted(
                "interrupted; all measured trials are recorded.", hint=f"Continue: {command}"
            ) from None
    measured = Measured(outcome.summary, outcome.trials, sampling=fitted.sampling)
    results = of_run.evaluate(wanted, measured)
    pipeline_outputs.write(files, directory.path, outcome.summary, results, outcome.started)
    with writing_results(outcome.report):
        named = experiment is not None or resume is not None
        _print(outcome, directory.path, as_json=as_json, verbose=verbose, named=named)
    checked.tell(results, outcome.summary.unmeasured)


def _print(outcome: Outcome, run: Path, *, as_json: bool, verbose: bool, named: bool) -> None:
    if as_json:
        print(outcome.summary.model_dump_json(indent=2))
        for warning in outcome.summary.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        print(f"Report: {outcome.report}", file=sys.stderr)
        for caution in outcome.cautions:
            print(f"warning ({caution.code}): {caution.text} {caution.remedy}", file=sys.stderr)
        return
    if verbose:
        terminal.render(outcome.summary, Terminal())
        print(f"\nReport: {outcome.report}")
        return
    then = screen.next_command(outcome.summary, outcome.cautions, run, named=named)
    screen.render(outcome.summary, len(outcome.cautions), outcome.report, then, Terminal())
