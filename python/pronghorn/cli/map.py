"""`pronghorn map`: where on the axes of round trip, loss and rate the verdict turns."""

import json
import secrets
import shlex
import sys
import time as now
from pathlib import Path
from typing import Annotated, Any

import typer

from pronghorn import capabilities, guest
from pronghorn.analysis import mends
from pronghorn.analysis.failing import commonest_of, with_detail
from pronghorn.analysis.numbers import count
from pronghorn.cli import clocks
from pronghorn.cli.progress import watching
from pronghorn.cli.results import writing_results
from pronghorn.conduct import execute
from pronghorn.engine import Hello
from pronghorn.errors import InputError, Interrupted, NothingMeasured
from pronghorn.execute.describe import describe
from pronghorn.host import ability, awake
from pronghorn.mapping import batches, design, page, picture, result, sentence
from pronghorn.mapping import terms as kept
from pronghorn.mapping.batches import Batches
from pronghorn.mapping.explore import BATCH, Explored, explore
from pronghorn.mapping.fitted import fitted
from pronghorn.mapping.terms import Terms
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_values import DEFAULT_MARGIN
from pronghorn.runs import journal
from pronghorn.runs.directory import RunDirectory, default_name

DATA, PICTURE, PAGE = "map.json", "map.svg", "map.html"

_RTT, _LOSS, _RATE = "5ms..300ms", "0..15%", "1Mbit..1Gbit"
_FINAL_STEPS_S = 5.0


def map(
    site: Annotated[
        str | None,
        typer.Option(metavar="SITE", help="What is loaded: small, dir:PATH and so on (default: small)."),
    ] = None,
    rtt: Annotated[
        str | None, typer.Option(metavar="RANGE", help=f"Round trips, or one (default: {_RTT}).")
    ] = None,
    loss: Annotated[
        str | None, typer.Option(metavar="RANGE", help=f"Loss on the down link, or one (default: {_LOSS}).")
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RANGE", help=f"Rates of both links, or one (default: {_RATE}).")
    ] = None,
    arms: Annotated[
        str | None, typer.Option(metavar="ARM,ARM", help="What is compared (default: h2,h3).")
    ] = None,
    origin: Annotated[
        str | None, typer.Option(metavar="ORIGIN", help="The server (default: builtin).")
    ] = None,
    client: Annotated[
        str | None, typer.Option(metavar="CLIENT", help="native or chromium (default: native).")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"The total number of trials (default: {kept.DEFAULT_BUDGET}, unless --time is given).",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="The duration, such as 30m; a resumed map counts from its resumption."
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help=f"Differences that count as the same (default: {DEFAULT_MARGIN})."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to write the map (default: runs/TIME-map-of-SITE)."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Continue the map in DIR: an interrupted one, or with a larger --budget."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Concurrent trials, if the path and not the CPU is the limit."),
    ] = None,
    clock: Annotated[str | None, typer.Option(metavar="CLOCK", help=clocks.HELP)] = None,
    keep_awake: Annotated[bool, typer.Option("--awake", help=awake.HELP)] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of every random draw.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print map.json on stdout instead of the sentences.")
    ] = False,
) -> None:
    """Map where one protocol is faster: trials go where the verdict turns."""
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: at least 1 trial has to run at a time.")
    told = {
        "site": site,
        "rtt": rtt,
        "loss": loss,
        "rate": rate,
        "arms": arms,
        "origin": origin,
        "client": client,
        "margin": margin,
        "seed": seed,
        "clock": clocks.parsed(clock),
        "out": out,
    }
    asked = _resumed(resume, told, budget, time) if resume else _asked(told, budget, time)
    asked.check()
    planned = _planned(asked)
    asked = asked.model_copy(update={"site": planned.sites[0]})
    capabilities.check(planned)
    with _claim(resume, out, asked) as directory:
        hello = ability.greet_all(guest.engines(planned).values())
        ability.fit(planned, hello, fall_back=False)
        kept.write(asked, directory.path)
        try:
            with awake.keeping(keep_awake):
                measured, explored = _explore(asked, planned.margin, directory, hello, jobs)
            document = _write(asked, planned, directory, measured, explored)
        except Interrupted:
            command = shlex.join(["pronghorn", "map", "--resume", str(directory.path)])
            raise Interrupted(
                "interrupted; all measured trials are recorded.", hint=f"Continue: {command}"
            ) from None
    with writing_results(directory.file(PAGE)):
        _print(document, directory, as_json=as_json)


def _asked(told: dict[str, Any], budget: int | None, time: str | None) -> Terms:
    arms: str = told["arms"] or "h2,h3"
    seed: int | None = told["seed"]
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(f"--seed {seed}: a seed is a whole number from 0 to {2**63 - 1}.")
    return Terms(
        site=told["site"] or "small",
        rtt=told["rtt"] or _RTT,
        loss=told["loss"] or _LOSS,
        rate=told["rate"] or _RATE,
        arms=tuple(arm.strip() for arm in arms.split(",")),
        origin=told["origin"] or "builtin",
        client=told["client"] or "native",
        margin=told["margin"] or DEFAULT_MARGIN,
        seed=secrets.randbits(32) if seed is None else seed,
        budget=kept.DEFAULT_BUDGET if budget is None and time is None else budget,
        time=time,
        clock=told["clock"] or "real",
    )


def _resumed(resume: Path, told: dict[str, Any], budget: int | None, time: str | None) -> Terms:
    for name, value in told.items():
        if value is not None:
            raise InputError(
                f"--{name}: the map in {resume} keeps the settings that it began with. With --resume "
                "only --budget, --time, --jobs and --json are allowed.",
                hint="Start a new map with --out.",
            )
    return kept.read(resume).extended(budget, time)


def _planned(asked: Terms) -> Experiment:
    """The first batch's experiment, which stands for all of them: InputError where the terms can't be."""
    return batches.experiment(asked, design.start(asked.domain, 1, asked.seed), 1)


def _claim(resume: Path | None, out: Path | None, asked: Terms) -> RunDirectory:
    if resume is not None:
        return RunDirectory(resume, resume=True)
    directory = RunDirectory(out or default_name(f"map of {asked.site}"), resume=False)
    if directory.file(kept.FILE).exists():
        directory.release()
        raise InputError(
            f"{directory.path}: holds another map ({kept.FILE}).",
            hint=f"Continue it with --resume {directory.path}, or choose another directory with --out.",
        )
    return directory


def _explore(
    asked: Terms, margin: float, directory: RunDirectory, hello: Hello, jobs: int | None
) -> tuple[Batches, Explored]:
    started = now.monotonic()
    slowest = 0.0

    def run(planned: Experiment, folder: RunDirectory) -> None:
        nonlocal slowest
        begun = now.monotonic()
        ready = describe(ability.fit(planned, hello, fall_back=False))
        with watching() as observer:
            execute(ready, hello, folder, observer, jobs=jobs, command_line=sys.argv)
        slowest = max(slowest, (now.monotonic() - begun) / len(planned.paths))

    def in_time() -> bool:
        left = None if asked.time_s is None else asked.time_s - (now.monotonic() - started)
        return left is None or left > slowest * BATCH + _FINAL_STEPS_S

    measured = Batches(asked, directory.path, run)
    try:
        explored = explore(
            asked.domain,
            measured.measure,
            margin=margin,
            seed=asked.seed,
            points=asked.points,
            known=measured.begun(),
            in_time=in_time,
        )
    except NothingMeasured as nothing:
        most = commonest_of(measured.failures)
        if most is None:
            raise
        raise NothingMeasured(
            f"{nothing.message} Loads failed most often because of {with_detail(most)}.",
            hint=f"{mends.of_failure(most)} {nothing.hint or ''}".rstrip(),
        ) from None
    return measured, explored


def _write(
    asked: Terms, planned: Experiment, directory: RunDirectory, measured: Batches, explored: Explored
) -> dict[str, Any]:
    """Writes the map's files, and gives map.json's content."""
    found = fitted(asked.domain, explored.observations, margin=planned.margin, seed=asked.seed)
    arm, baseline = batches.arm_of(planned), planned.baseline
    said = sentence.sentences(found, site=planned.sites[0], arm=arm, baseline=baseline)
    document = result.document(
        asked,
        found,
        measured.seen,
        arm=arm,
        baseline=baseline,
        reason=explored.reason,
        sentences=said,
        warnings=[*measured.cautions.values(), *result.cautions(found, measured.seen)],
        origin_versions=batches.origin_versions(directory.path, asked.origin),
    )
    points = [one.point for one in measured.seen]
    drawing, narrow = (
        picture.picture(found, points, arm=arm, baseline=baseline, label=" ".join(said), columns=columns)
        for columns in (picture.COLUMNS, 1)
    )
    journal.replace(directory.file(DATA), (json.dumps(document, separators=(",", ":")) + "\n").encode())
    journal.replace(directory.file(PICTURE), drawing.encode())
    journal.replace(directory.file(PAGE), page.page(document, found, measured.seen, drawing, narrow).encode())
    return document


def _print(document: dict[str, Any], directory: RunDirectory, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(document, indent=2))
        print(f"Map: {directory.file(PAGE)}", file=sys.stderr)
        return
    for warning in document["warnings"]:
        print(f"warning ({warning['code']}): {warning['text']} {warning['remedy']}", file=sys.stderr)
    shares = ", ".join(
        f"{name} {sentence.percent(share)}" for name, share in document["regions"].items() if share
    )
    whole = sentence.percent(document["full_grid"]["share"])
    print(f"Of the map: {shares}; {count(document['trials'], 'trial')}, {whole} of a full grid's.")
    for said in document["sentences"]:
        print(said)
    print(f"\nMap: {directory.file(PAGE)}")
