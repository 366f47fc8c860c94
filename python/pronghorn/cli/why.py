"""`pronghorn why`: where a page's time goes over HTTP/3, and which known trap fits."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command
from pronghorn.errors import EXIT_CHECK_FAILED, InputError, NothingMeasured
from pronghorn.host import interrupts, temporary_folders

COMMAND_CLASS = Command

_SOURCES = "give one source: a URL, --har FILE, --pcap FILE with --keys FILE, --qlog FILE."


def why(
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="The page, with https://. It is loaded.")
    ] = None,
    har: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A page load as a HAR file; again for one over another protocol."),
    ] = None,
    pcap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A capture of the client's packets, for tshark.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The capture's secrets (SSLKEYLOGFILE).")
    ] = None,
    qlog: Annotated[Path | None, typer.Option(metavar="FILE", help="A qlog of one connection.")] = None,
    visits: Annotated[int, typer.Option(metavar="N", min=1, max=20, help="Loads over each protocol.")] = 3,
    limit: Annotated[
        float, typer.Option(metavar="S", min=1, max=600, help="Seconds a load may take.")
    ] = 30.0,
    authority: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The only authority to trust, in PEM.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Say why a page is slow over HTTP/3: where its time goes, which known trap fits, what to change.

    The page is loaded a few times over HTTP/2 and HTTP/3, or files are read. Exit status: 0 nothing found;
    1 a trap fits; 4 nothing could be measured."""
    if sum(one is not None for one in (url, har or None, pcap, qlog)) != 1:
        raise InputError(f"why: {_SOURCES}", hint="Such as: pronghorn why https://www.example.org/")
    if keys is not None and pcap is None:
        raise InputError("why: --keys is of a capture.", hint="Name it as well: --pcap FILE")
    from pronghorn.evidence import files, live, target
    from pronghorn.traps import judge, told

    if url is not None:
        asked = live.Asked(visits, limit, authority)
        first = target.target(url)
        with temporary_folders.work_folder() as folder:
            facts = interrupts.run(
                live.facts(first, asked, folder, lambda text: print(text, file=sys.stderr))
            )
    else:
        facts = files.facts(har or [], pcap, keys, qlog)
    judged = judge(facts)
    with writing_results():
        print(told.as_json(facts, judged) if as_json else told.as_text(facts, judged))
    if not judged.findings and not facts.of("h3"):
        raise NothingMeasured(
            f"{facts.source}: nothing could be measured over HTTP/3.", hint="What is known stands above."
        )
    if judged.findings:
        raise typer.Exit(EXIT_CHECK_FAILED)
