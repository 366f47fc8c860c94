"""`pronghorn path`: any command behind an emulated path."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from pronghorn import command
from pronghorn.cli import clocks, dashes, path_from_tc
from pronghorn.cli.results import refuse_unwritable, writing_results
from pronghorn.cli.words import Command
from pronghorn.command import Asked, Outcome
from pronghorn.engine import EngineError
from pronghorn.errors import HostError, InputError
from pronghorn.execute.describe import refusal
from pronghorn.host import temporary_folders
from pronghorn.model.experiment_file import shipped_paths
from pronghorn.model.path import from_words
from pronghorn.report import link_table
from pronghorn.terminal import Terminal

_SAMPLE_INTERVAL_S = 0.1
_COMMAND = "pronghorn.command"


class PathCommand(Command):
    """Keeps what stands after the first `--` apart, as the command line to run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What stands before it is ours."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[_COMMAND] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line with the command."""
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]


COMMAND_CLASS = PathCommand


def path(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROFILE|KEY=VALUE...",
            help="A shipped profile or a TOML file, then changes to it: delay=10ms means each direction, "
            "down.loss=1% and up.rate=5Mbit one of them.",
        ),
    ] = None,
    tc_lines: Annotated[
        list[str] | None,
        typer.Option("--from-tc", metavar="LINE", help=path_from_tc.HELP),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Run this command line on the far host. Without it, the far side is this host's own "
            "services.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=2**64 - 1, help="The seed of the path's random decisions."),
    ] = None,
    congestion_control: Annotated[
        str | None,
        typer.Option(
            "--cc",
            metavar="NAME",
            help="TCP's congestion control, whatever programs ask for (default: cubic, if they ask for "
            "none).",
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the counters to FILE."),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw throughput, queueing delay and drops over time (SVG)."),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Capture both ends of the path, with the TLS secrets that COMMAND writes."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no counters at the end.")] = False,
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Run no command: probe the path and compare it with its specification. Exit with status "
            "1 if a row fails. --json FILE takes the report.",
        ),
    ] = False,
    clock: Annotated[str | None, typer.Option(metavar="CLOCK", help=clocks.HELP)] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the shipped profiles.")] = False,
) -> None:
    """Run any command behind an emulated path.

    The command finds the far side at $PRONGHORN_SERVER and has the address $PRONGHORN_CLIENT. Paths nest:
    COMMAND may be 'pronghorn path' again. The exit status is the command's; the counters go to stderr.
    """
    if listed:
        _print_profiles()
        return
    argv = context.meta.get(_COMMAND, [])
    virtual = clocks.parsed(clock) == "virtual"
    if tc_lines:
        shown = not argv and not calibrated
        words = path_from_tc.translated(tc_lines, words or [], tell=not quiet and (shown or not virtual))
        if shown:
            path_from_tc.show(words)
            return
    if virtual:
        _in_guest(seed)
    if calibrated:
        _calibrate(words or [], argv, seed, json_file)
        return
    if not argv or not argv[0]:
        raise InputError("no COMMAND to run.", hint=f"Write it after '--': {dashes.put(words or [])}")
    profile = from_words(words or [], shipped_paths())
    assert profile.spec is not None
    if profile.spec.ip == 6:
        raise InputError(
            "family=6: a command's path speaks IPv4, as its uplink to this host does.",
            hint="IPv6 is for experiments: pronghorn run --set path.lte.family=6",
        )
    asked = Asked(
        path=profile.spec,
        seed=command.random_seed() if seed is None else seed,
        command=argv,
        server=_shell_words(server),
        congestion_control=congestion_control,
        sample_interval_s=_SAMPLE_INTERVAL_S if graph else None,
        capture=capture,
    )
    _refuse_capture(capture)
    refuse_unwritable(json_file, graph, capture)
    temporary_folders.sweep()
    try:
        outcome = command.run(asked)
    except EngineError as refused:
        raise refusal(refused, profile) from None
    faults = list(_write_all(outcome, asked, profile.name, json_file, graph))
    if not quiet:
        link_table.render(outcome, Terminal(stderr=True, highlight=False))
    if faults:
        raise HostError(
            f"{'; '.join(faults)}. COMMAND had ended with status {outcome.status}.",
            hint="Free some space, or name another file.",
        )
    raise typer.Exit(outcome.status)


def _in_guest(seed: int | None) -> NoReturn:
    """Does what was asked for once more, in a guest."""
    from pronghorn.guest import kernels, program

    kernel = kernels.need()
    draw = command.random_seed() if seed is None else seed
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    # What stands last holds.
    again = [*words[:end], "--clock", "real", "--seed", str(draw), *words[end:]]
    raise typer.Exit(program.run(kernel, draw, [sys.executable, "-P", "-m", "pronghorn", *again]))


def _calibrate(words: list[str], argv: list[str], seed: int | None, json_file: Path | None) -> None:
    if argv:
        raise InputError("--calibrate runs no COMMAND.", hint="Leave out everything from '--' on.")
    profile = from_words(words, shipped_paths())
    assert profile.spec is not None
    refuse_unwritable(json_file)
    from pronghorn.cli import path_calibration

    draw = command.random_seed() if seed is None else seed
    path_calibration.calibrate(profile.spec, profile.name, draw, json_file)


def _as_json(outcome: Outcome, asked: Asked) -> dict[str, Any]:
    told = outcome.model_dump(mode="json", exclude={"series"})
    return {"path": asked.path.to_manifest(), "command": list(asked.command), **told}


def _shell_words(text: str | None) -> list[str] | None:
    if text is None:
        return None
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--server {text!r}: {error}.") from None
    if not words:
        raise InputError("--server names no program.")
    return words


def _refuse_capture(capture: Path | None) -> None:
    if capture is not None and capture.exists() and not capture.is_file():
        raise InputError(f"{capture}: this is a device or a pipe; a capture needs a file of its own.")


def _write_all(
    outcome: Outcome, asked: Asked, name: str, json_file: Path | None, graph: Path | None
) -> Iterator[str]:
    """Writes what was asked for beside the counters; what of it could not be written, and why."""
    if json_file:
        yield from _write(json_file, json.dumps(_as_json(outcome, asked), indent=2) + "\n")
    if graph and outcome.series:
        from pronghorn.report import path_chart

        yield from _write(graph, path_chart.draw(outcome.series, name))
    if outcome.counters.capture and outcome.counters.capture.fault:
        yield outcome.counters.capture.fault


def _write(file: Path, text: str) -> Iterator[str]:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        yield f"{file}: {error.strerror}"


def _print_profiles() -> None:
    profiles = shipped_paths()
    width = max(map(len, profiles), default=0)
    with writing_results():
        for name, profile in sorted(profiles.items()):
            print(f"{name:{width}}  {profile.description}")
