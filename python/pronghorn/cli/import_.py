"""`pronghorn import`: a HAR file, a WARC file or a mirrored folder as a site archive."""

from pathlib import Path
from typing import Annotated

import typer

from pronghorn import importing
from pronghorn.cli.archived import told
from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command

COMMAND_CLASS = Command


def import_(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A HAR file, a WARC file (.warc, .warc.gz) or a folder.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to create: the site archive.")
    ],
    page: Annotated[
        str | None,
        typer.Option(
            metavar="PAGE", help="The page, if there are several: its URL, or a HAR page's id or number."
        ),
    ] = None,
    keep_secrets: Annotated[
        bool, typer.Option("--keep-secrets", help="Keep cookies, credentials and tokens as they are.")
    ] = False,
) -> None:
    """Make a site archive of a HAR file, a WARC file or a mirrored folder.

    Cookies, credentials and tokens are replaced by stand-ins of the same length. What is left out or made
    up is printed, and stands in the archive's site.toml."""
    made = importing.bring(source, out, page=page, keep_secrets=keep_secrets)
    with writing_results():
        told(made)
