"""`pronghorn doctor`: what this host can do, and how to mend what it can't."""

from typing import Annotated

import typer

from pronghorn.doctor import main as examine


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """Say what this host can do, and how to mend what it can't."""
    raise typer.Exit(examine(as_json=as_json))
