"""`pronghorn report`: a recorded run's summary and report once more."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pronghorn.cautions.of_run import unfinished
from pronghorn.checks import of_run
from pronghorn.checks.intervals import Measured
from pronghorn.checks.result import Result
from pronghorn.cli import checked, named_run, pipeline_outputs
from pronghorn.cli.report_outputs import Outputs
from pronghorn.cli.results import writing_results
from pronghorn.conclude.summarised import summarise
from pronghorn.errors import InputError
from pronghorn.model import belonging
from pronghorn.model.summary import Summary
from pronghorn.report import html, terminal
from pronghorn.runs import directory as files
from pronghorn.runs import journal, left_out
from pronghorn.runs.directory import RunDirectory
from pronghorn.runs.header import check_header
from pronghorn.runs.prepare import Request, resolve
from pronghorn.runs.skim import Skimmed, through
from pronghorn.terminal import Terminal


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The directory of a run, finished or not.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print summary.json instead of the table.")] = False,
    markdown: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a short report for a pull request; - is stdout, instead of the table."
        ),
    ] = None,
    notebook: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write an executed notebook that recomputes the figures from trials.parquet."
        ),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write each chart as SVG and PNG.")
    ] = None,
    checks: Annotated[
        list[str] | None, typer.Option("--check", metavar="EXPR", help=checked.CHECK_HELP)
    ] = None,
    exports: Annotated[
        list[str] | None, typer.Option("--export", metavar="FORMAT[=FILE]", help=pipeline_outputs.EXPORT_HELP)
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help=pipeline_outputs.JUNIT_HELP)] = None,
) -> None:
    """Summarise a run's journal anew: print the verdicts, and write summary.json and report.html."""
    if not run.is_dir():
        named_run.check(run)
    outputs = Outputs(markdown, notebook, charts)
    outputs.check(as_json=as_json)
    named_run.check(run)
    experiment = resolve(Request(resume=run))
    wanted = [of_run.parse(text, experiment) for text in checks or ()]
    for_pipelines = pipeline_outputs.asked(exports, junit)

    def reported(contents: Skimmed) -> tuple[Summary, dict[str, Any], list[Result], list[Path]]:
        check_header(contents.header, experiment, directory)
        left_out.say(contents.warnings)
        if not contents.trials:
            raise InputError(f"{run}: has no recorded trial yet.", hint=f"pronghorn run --resume {run}")
        notes, faults = files.read_manifest(run)
        left_out.say(faults)
        if notes.get("ended") is None:
            notes.setdefault("warnings", []).append(unfinished(run, len(contents.trials))._asdict())
        summary = summarise(experiment, contents.trials, notes, contents.requests)
        journal.replace(directory.file(files.SUMMARY), (summary.model_dump_json(indent=2) + "\n").encode())
        draft = page.with_name(page.name + ".draft")
        try:
            html.write(summary, contents.trials, notes, draft, run, contents.whole)
            draft.replace(page)
        except OSError as error:
            raise journal.refused(page, error, f"pronghorn report {run}") from error
        finally:
            draft.unlink(missing_ok=True)
        results = of_run.evaluate(wanted, Measured(summary, contents.trials, sampling=experiment.sampling))
        with writing_results(page):
            written = outputs.write(summary, contents, notes, directory)
        return summary, notes, results, written

    with RunDirectory(run, resume=True) as directory:
        page = directory.file(files.REPORT)
        summary, notes, results, written = through(run, reported, belonging.of(experiment))
    pipeline_outputs.write(for_pipelines, run, summary, results, notes.get("started"))
    with writing_results(page):
        if as_json:
            print(summary.model_dump_json(indent=2))
        elif not outputs.takes_stdout:
            terminal.render(summary, Terminal())
            print(f"\n{page}", *written, sep="\n")
    checked.tell(results)
