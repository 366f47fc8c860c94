"""`pronghorn doctor`: what this host can do, and how to mend what it can't."""

import typer

from pronghorn.doctor import main as examine


def doctor() -> None:
    """Say what this host can do, and how to mend what it can't."""
    raise typer.Exit(examine())
