"""`pronghorn servers`: the foreign servers of this host, and the making of those that it lacks."""

from typing import Annotated

import typer

from pronghorn import servers as root
from pronghorn.errors import HostError
from pronghorn.origins import programs


def servers(
    check: Annotated[
        bool, typer.Option("--check", help="Build nothing; exit with status 3 if a server is missing.")
    ] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Unpack Debian's current servers again.")] = False,
) -> None:
    """Say which servers with HTTP/3 are here; unpack Debian's into the user's cache where one is missing."""
    if anew and not check:
        root.forget()
        root.make()
    elif not check:
        try:
            _each()
        except HostError:
            root.make()
    for program in _each():
        print(program)


def _each() -> list[str]:
    found = [(name, programs.find(name)) for name in sorted(programs.WANTED)]
    return [f"{name} {program.version}  {program.where}" for name, program in found]
