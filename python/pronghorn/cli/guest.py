"""`pronghorn guest`: the kernels of virtual time, and the building of those that this machine lacks."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn.errors import InputError
from pronghorn.guest import build, kernels


def guest(
    version: Annotated[
        str | None,
        typer.Argument(
            metavar="VERSION", help="One of Debian's, newest (the default), or a name for --kernel."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Build nothing; exit with status 3 if it is not built.")
    ] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Rebuild it from Debian's current source.")] = False,
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Build from this source, linux-*.tar.xz, instead of Debian's."),
    ] = None,
    kernel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Use this User Mode Linux, kept as VERSION.")
    ] = None,
) -> None:
    """Build the kernel of virtual time, once, into the user's cache; no privilege is needed."""
    if kernel is not None:
        if version is None or source is not None or check:
            raise InputError(
                "--kernel FILE needs a name and excludes --source and --check: pronghorn guest NAME "
                "--kernel FILE"
            )
        build.adopt(kernel, version)
    elif source is not None and version is None:
        raise InputError("--source FILE needs a version: pronghorn guest 6.6 --source linux-6.6.tar.xz")
    elif check:
        kernels.need(version)
    elif anew or source is not None or not _here(version):
        build.build(version or kernels.NEWEST, source=source, tell=_tell)
    for one in kernels.built():
        print(f"Linux {one.version} ({one.release})  {one.program}")


def _here(version: str | None) -> bool:
    """Whether what is asked for is built as it would be today; of the newest any will do until it is asked
    for anew."""
    current = [kernel.version for kernel in kernels.built() if kernel.is_current]
    if version in (None, kernels.NEWEST):
        return any(built != kernels.STABLE and built[:1].isdecimal() for built in current)
    return version in current


def _tell(text: str) -> None:
    print(f"{text} …", file=sys.stderr, flush=True)
