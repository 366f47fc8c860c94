"""`pronghorn runs`: the runs and maps that a folder holds: listed, opened, compared, deleted."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from pronghorn.analysis.numbers import count, size
from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command
from pronghorn.errors import InputError, unknown
from pronghorn.runs import catalogue, removal
from pronghorn.runs.catalogue import Entry
from pronghorn.terminal import Terminal

APP = typer.Typer(
    help="List runs and maps, open their reports, compare and delete them, and show their disk use.",
    no_args_is_help=True,
    add_completion=False,
)

FOLDER = Path("runs")
LAST = "last"

_Folder = Annotated[
    Path, typer.Option("--in", metavar="DIR", help="The folder that holds the runs (default: runs).")
]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")]


@APP.command("list", cls=Command)
def list_runs(folder: _Folder = FOLDER, as_json: _AsJson = False) -> None:
    """List the runs and maps, the newest first: what each is, how it stands, its verdicts, its disk."""
    entries = _entries(folder)
    with writing_results():
        if as_json:
            print(json.dumps({"runs": [_told(each) for each in entries]}, indent=2))
            return
        table = _table("run", "started", "of", "state", "trials", "verdicts", "disk")
        for each in entries:
            verdicts = ", ".join(f"{verdict} ({number})" for verdict, number in each.verdicts.items())
            started = each.started.replace("T", " ").removesuffix("Z")[:16] or "–"
            row = (each.name, started, each.title, each.state, str(each.trials), verdicts or "–")
            table.add_row(*row, size(each.total_bytes))
        Terminal().print(table)
        print(f"{count(len(entries), 'run')}, {size(sum(each.total_bytes for each in entries))} in {folder}")


@APP.command("disk", cls=Command)
def disk(folder: _Folder = FOLDER, as_json: _AsJson = False) -> None:
    """Say what disk the runs and maps use, the largest first, by part."""
    entries = sorted(_entries(folder), key=lambda each: each.total_bytes, reverse=True)
    parts = ("artifacts", "batches", "trials", "other")
    with writing_results():
        if as_json:
            total = sum(each.total_bytes for each in entries)
            print(json.dumps({"total_bytes": total, "runs": [_told(each) for each in entries]}, indent=2))
            return
        table = _table("run", "disk", *parts)
        for each in entries:
            used = [size(each.disk_bytes[part]) if part in each.disk_bytes else "–" for part in parts]
            table.add_row(each.name, size(each.total_bytes), *used)
        Terminal().print(table)
        print(f"{size(sum(each.total_bytes for each in entries))} in {folder}")


@APP.command("open", cls=Command)
def open_report(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's directory, or its name in the folder, or last.")
    ] = LAST,
    folder: _Folder = FOLDER,
) -> None:
    """Open a run's report or a map's page in a browser; without a display, print where it is."""
    found = catalogue.entry(_named(run, folder), folder)
    if not found.page.is_file():
        raise InputError(
            f"{found.path}: has no {found.page.name} yet.",
            hint=f"pronghorn report {found.path}"
            if found.kind == "run"
            else f"pronghorn map --resume {found.path}",
        )
    _show(found.page)
    with writing_results():
        print(found.page)


@APP.command("compare", cls=Command)
def compare_runs(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The earlier run, by directory or name.")],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", help="The later one (default: the last one).")
    ] = LAST,
    folder: _Folder = FOLDER,
    as_json: _AsJson = False,
) -> None:
    """Say what changed from one run to another, as 'pronghorn compare' does, by their names."""
    from pronghorn.cli import compare  # takes a second to import, which the others don't need

    one, two = (_named(name, folder) for name in (before, after))
    if one.resolve() == two.resolve():
        raise InputError(f"{one} and {two} are the same run.", hint="Name two: pronghorn runs list")
    compare.compare(one, two, as_json=as_json)


@APP.command("delete", cls=Command)
def delete(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Directories of runs or maps, or their names.")
    ],
    folder: _Folder = FOLDER,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Delete runs and maps, after asking. What is no run, is in use, or holds files of yours stays."""
    paths = list(dict.fromkeys(_named(name, folder, also_last=False) for name in runs))
    for path in paths:
        removal.check(path)
    sizes = [size(sum(catalogue.disk_bytes(path).values())) for path in paths]
    if not yes:
        _ask([f"{path} ({taken})" for path, taken in zip(paths, sizes, strict=True)])
    with writing_results():
        for path, taken in zip(paths, sizes, strict=True):
            removal.remove(path)
            print(f"{path}: deleted, {taken}")


def _ask(told: Sequence[str]) -> None:
    if not sys.stdin.isatty():
        raise InputError(
            f"{count(len(told), 'run')} would be deleted, but there is no terminal to confirm.",
            hint="Add --yes.",
        )
    print("\n".join(told), file=sys.stderr)
    print(f"Delete {count(len(told), 'run')}? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError("nothing was deleted.")


def _entries(folder: Path) -> list[Entry]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder, so there are no runs.", hint="Name another: --in DIR")
    return catalogue.found(folder)


def _named(name: str, folder: Path, *, also_last: bool = True) -> Path:
    """The run or map of a name: a path, one in the folder, or `last`."""
    if name == LAST and also_last:
        entries = _entries(folder)
        if not entries:
            raise InputError(f"{folder}: holds no run.", hint="Name another folder: --in DIR")
        return entries[0].path
    for path in (Path(name), folder / name):
        if os.path.lexists(path):
            if catalogue.kind_of(path) is None and not path.is_symlink():
                raise InputError(
                    f"{path}: this is no run or map: it has neither experiment.toml with trials nor "
                    "map.toml.",
                    hint="`pronghorn runs list` lists them.",
                )
            return path
    known = [each.name for each in catalogue.found(folder)] if folder.is_dir() else []
    raise InputError(unknown("run", name, known[:20]))


def _show(page: Path) -> None:
    """Opens it where there is a display."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    if sys.platform != "darwin" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    if program := shutil.which(opener):
        quiet = subprocess.DEVNULL
        subprocess.Popen(
            [program, str(page.resolve())], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )


def _told(entry: Entry) -> dict[str, object]:
    told = entry._asdict()
    return told | {"path": str(entry.path), "total_bytes": entry.total_bytes}


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for column in columns:
        numeric = column in ("trials", "disk", "artifacts", "batches", "other")
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    return table
