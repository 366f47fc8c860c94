"""`pronghorn browse`: a URL in Chromium, over the protocol asked for."""

from pathlib import Path
from typing import Annotated

import typer

from pronghorn.cli.words import Command
from pronghorn.errors import HostError, InputError, unknown
from pronghorn.load.spec import Protocol

COMMAND_CLASS = Command

_PROTOCOLS: tuple[Protocol, ...] = ("h1", "h2", "h3")


def browse(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page's address, https://…")],
    http: Annotated[
        str | None,
        typer.Option(metavar="PROTO", help="h1, h2 or h3 (default: as the browser finds out itself)."),
    ] = None,
    trust: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Certificate in PEM to trust, as 'pronghorn serve' prints it."),
    ] = None,
    dump_dom: Annotated[
        bool, typer.Option("--dump-dom", help="Print the loaded page, without a window.")
    ] = False,
) -> None:
    """Open a URL in the system's Chromium, with a fresh profile that is removed at the end."""
    from pronghorn import browsing

    if status := browsing.browse(url, _protocol(http), trust, dump=dump_dom):
        raise HostError(f"the browser ended with status {status}.", hint="Run 'pronghorn doctor'.")


def _protocol(text: str | None) -> Protocol | None:
    for protocol in _PROTOCOLS:
        if text == protocol:
            return protocol
    if text is not None:
        raise InputError(f"--http: {unknown('protocol', text, _PROTOCOLS)}")
    return None
