"""The command `pronghorn path`, as tests start it."""

from pathlib import Path
from typing import Any

from . import programme
from .programme import Result

PYTHON = f"{programme.COMMAND[0]} -I -S"


def path(*arguments: str, folder: Path, **more: Any) -> Result:
    """Runs the program with its command `path` and waits for its end."""
    return programme.run("path", *arguments, folder=folder, **more)


def within(*command: str) -> tuple[str, ...]:
    """The words by which a command behind a path starts the program again."""
    return (*programme.COMMAND, "path", *command)
