"""`pronghorn replicate`: published experiments, theirs beside ours."""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pronghorn import capabilities, guest
from pronghorn.analysis import mends
from pronghorn.analysis.failing import commonest_of, with_detail
from pronghorn.analysis.numbers import count
from pronghorn.cli import clocks
from pronghorn.cli.progress import watching
from pronghorn.cli.results import writing_results
from pronghorn.conduct import execute
from pronghorn.errors import InputError, Interrupted, NothingMeasured
from pronghorn.execute.describe import describe
from pronghorn.host import ability, awake
from pronghorn.model import sampling
from pronghorn.model import study as studies
from pronghorn.model.study import Size
from pronghorn.replicate import found, page, terminal
from pronghorn.replicate import measured as measurements
from pronghorn.replicate.measured import Measured, ReadRun
from pronghorn.replicate.planned import DEFAULT_FOLDER, PlannedRun, expected_s, others, plan, wanted
from pronghorn.replicate.result import StudyFound
from pronghorn.runs.directory import RunDirectory
from pronghorn.terminal import Terminal


def replicate(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STUDY[/RUN]",
            help=f"{', '.join(studies.names())}, or one of a study's runs (default: all).",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use a small size of each: minutes instead of hours.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help=f"Where the runs are, or will be (default: {DEFAULT_FOLDER})."),
    ] = None,
    pages: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a page for each study, STUDY.md.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep in this folder what the pages need of each finished run, for --out DIR to read.",
        ),
    ] = None,
    blocks: Annotated[
        int | None, typer.Option(metavar="N", help="The number of blocks per cell, instead of the size's.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Concurrent trials, if the path and not the CPU is the limit."),
    ] = None,
    clock: Annotated[str | None, typer.Option(metavar="CLOCK", help=clocks.HELP)] = None,
    keep_awake: Annotated[bool, typer.Option("--awake", help=awake.HELP)] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The seed of every random draw of new runs.")
    ] = None,
    measure: Annotated[
        bool,
        typer.Option("--measure/--no-measure", help="Measure missing runs, or use only the existing ones."),
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON instead of the tables.")
    ] = False,
) -> None:
    """Run published experiments again: each claim, theirs beside ours, and a verdict."""
    if blocks is not None and not 1 <= blocks <= sampling.MOST:
        raise InputError(f"--blocks {blocks}: 1 to {sampling.MOST}.")
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: at least 1 trial runs at a time.")
    for option, folder in (("--pages", pages), ("--keep", keep)):
        if folder is not None and folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise InputError(f"{option} {folder}: this is not a writable folder.")
    size: Size = "quick" if quick else "full"
    by = clocks.parsed(clock) or "real"
    asked = wanted(names or ())
    planned = plan(asked, size, out or DEFAULT_FOLDER, blocks=blocks, seed=seed, clock=by)
    # A claim may rest on runs that weren't asked for, but are there.
    there = [*planned, *others(asked, size, out or DEFAULT_FOLDER, blocks=blocks, clock=by)]
    if measure:
        with awake.keeping(keep_awake):
            _measure([run for run in planned if not run.is_done], jobs)
    results = [
        (read := measurements.measured(one.study, there), found.study(read, there, size)) for one in asked
    ]
    if not any(read.runs for read, _ in results):
        raise InputError(
            f"{out or DEFAULT_FOLDER}: this folder has none of these runs.", hint="Leave out --no-measure."
        )
    written = [*(measurements.keep(planned, keep) if keep is not None else []), *_pages(results, pages)]
    with writing_results():
        if as_json:
            print(json.dumps([one.model_dump(mode="json") for _, one in results], indent=2))
        else:
            terminal.render([one for _, one in results], Terminal())
            if written:
                print("", *written, sep="\n")
    _refuse_nothing(run for read, _ in results for run in read.runs.values())


def _refuse_nothing(runs: Iterable[ReadRun]) -> None:
    """NothingMeasured where no load of any run succeeded."""
    read = list(runs)
    if any(run.succeeded for run in read):
        return
    most = commonest_of([run.failure for run in read])
    if most is None:
        raise NothingMeasured(
            f"Nothing could be measured: all {sum(run.trials for run in read)} trials were contaminated.",
            hint=mends.OF_DISCARDS,
        )
    raise NothingMeasured(
        f"Nothing could be measured: no load succeeded. The most frequent reason: {with_detail(most)}.",
        hint=mends.of_failure(most),
    )


def _measure(missing: Sequence[PlannedRun], jobs: int | None) -> None:
    """Makes the runs that are missing, one after the other; what was begun goes on."""
    for run in missing:
        capabilities.check(run.experiment)
    if not missing:
        return
    hello = ability.greet_all(guest.engines(missing[0].experiment).values())
    for line in _outlook(missing):
        print(line, file=sys.stderr, flush=True)
    for number, run in enumerate(missing, 1):
        print(f"\n{run.study}/{run.name} ({number} of {len(missing)}) in {run.folder}", file=sys.stderr)
        with RunDirectory(run.folder, resume=True) as directory:
            ready = describe(ability.fit(run.experiment, hello, fall_back=False))
            try:
                with watching() as observer:
                    done = execute(ready, hello, directory, observer, jobs=jobs, command_line=sys.argv)
            except Interrupted:
                raise Interrupted(
                    "interrupted; all measured trials are recorded.",
                    hint=f"Continue with the same command: {shlex.join(['pronghorn', *sys.argv[1:]])}",
                ) from None
        if (nothing := done.summary.unmeasured) is not None:
            print(f"warning: {nothing.text} {nothing.remedy}", file=sys.stderr, flush=True)


def _outlook(missing: Sequence[PlannedRun]) -> list[str]:
    """What lies ahead, and roughly how long it takes."""
    lines, whole_s = [], 0.0
    for run in missing:
        takes_s = expected_s(run.experiment)
        whole_s += takes_s
        lines.append(f"{run.study}/{run.name}: {count(run.trials, 'trial')}, {_lasting(takes_s)}")
    return [*lines, f"{count(len(missing), 'run')}, {_lasting(whole_s)} in all on this host"]


def _lasting(seconds: float) -> str:
    if seconds >= 2 * 3600:
        return f"about {round(seconds / 3600)} hours"
    return f"about {count(max(1, round(seconds / 60)), 'minute')}"


def _pages(results: Sequence[tuple[Measured, StudyFound]], folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    command = shlex.join(["pronghorn", *sys.argv[1:]])
    return [page.write(one, read, folder, command) for read, one in results]
