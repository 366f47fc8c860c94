"""`pronghorn mirror`: a page and its resources as a folder that can be measured."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn import mirror as mirrors
from pronghorn.analysis.numbers import count, size
from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command

COMMAND_CLASS = Command

_MOST_NAMED = 5


def mirror(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page's address.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder to create (default: the host's name)."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Don't list addresses while fetching.")
    ] = False,
) -> None:
    """Fetch a page and its resources into a folder that 'pronghorn run --set sites=dir:FOLDER' measures.

    What its markup and style sheets name is fetched, from its own host. What scripts ask for isn't seen."""

    def tell(address: str) -> None:
        if not quiet:
            print(address, file=sys.stderr)

    found = mirrors.mirror(url, out, tell)
    for address, why in list(found.failed.items())[:_MOST_NAMED]:
        print(f"left out: {address}: {why}", file=sys.stderr)
    if len(found.failed) > _MOST_NAMED:
        print(f"left out: {len(found.failed) - _MOST_NAMED} more that could not be fetched", file=sys.stderr)
    with writing_results():
        others = f"; {len(found.left_out)} of other hosts left out" if found.left_out else ""
        print(f"{found.folder}: {count(found.files, 'file')}, {size(found.total_bytes)}{others}")
        print(f"Measure it: pronghorn run --set sites=dir:{found.folder}")
