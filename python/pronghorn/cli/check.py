"""`pronghorn check`: what a visitor's browser finds at a host."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pronghorn.check import Settings, show, target
from pronghorn.check import check as examined
from pronghorn.check.finding import SEVERITIES, Severity, reaches
from pronghorn.cli.results import writing_results
from pronghorn.cli.words import Command
from pronghorn.errors import EXIT_CHECK_FAILED, InputError, unknown
from pronghorn.model import units
from pronghorn.terminal import Terminal

COMMAND_CLASS = Command

_NEVER = "never"


def check(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page's address: https://HOST/, or HOST.")],
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="SEVERITY",
            help="Exit with status 1 if a finding is as bad as this, or worse: error, warning, notice, "
            "or never.",
        ),
    ] = "warning",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
    echo: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The path of an endpoint of the application that answers GET and POST with the request's "
            "headers (JSON or lines): compare what is forwarded over h1, h2 and h3.",
        ),
    ] = None,
    address: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Ask this IP address instead of the host's. Repeatable."),
    ] = None,
    resolver: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS[:PORT]", help="Ask this DNS server instead of the system's."),
    ] = None,
    ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also trust the authorities of this PEM file.")
    ] = None,
    limit: Annotated[
        str, typer.Option(metavar="TIME", help="How long the whole check may take, such as 30s.")
    ] = "30s",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Don't say on stderr what is asked.")] = False,
) -> None:
    """Say what a visitor's browser finds at a host over h1, h2 and h3, and how to fix what is wrong.

    It sends at most 40 requests. What could not be found out is listed as unknown."""
    severity = _severity(fail_on)
    asked = target.parse(url)
    settings = Settings(
        ca, tuple(map(_address, address or ())), _resolver(resolver), _path(echo), _seconds(limit)
    )

    def tell(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    report = examined(asked, settings, tell)
    with writing_results():
        if as_json:
            print(show.as_json(report))
        else:
            show.print_lines(report, Terminal(highlight=False))
    if severity is not None and any(reaches(each, severity) for each in report.findings):
        raise typer.Exit(EXIT_CHECK_FAILED)


def _severity(text: str) -> Severity | None:
    if text == _NEVER:
        return None
    for each in SEVERITIES:
        if text == each:
            return each
    raise InputError(f"--fail-on: {unknown('severity', text, (*SEVERITIES, _NEVER))}")


def _address(text: str) -> str:
    if not target.is_address(text):
        raise InputError(
            f"--address {text!r}: not an IP address.", hint="Such as 203.0.113.7 or 2001:db8::7."
        )
    return text


def _resolver(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    address, _, port = (text, "", "53") if target.is_address(text) else text.rpartition(":")
    address = address.removeprefix("[").removesuffix("]")
    if not target.is_address(address) or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(
            f"--resolver {text!r}: not an IP address with or without a port.",
            hint="Such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53.",
        )
    return address, int(port)


def _path(text: str | None) -> str | None:
    if text is not None and not (
        text.startswith("/") and text.isascii() and text.isprintable() and " " not in text
    ):
        raise InputError("--echo: not a path.", hint="Such as /echo; it begins with a slash.")
    return text


def _seconds(text: str) -> float:
    try:
        limit_s = units.time_ns(text) / 1e9
    except units.UnitError as error:
        raise InputError(f"--limit: {error}.") from None
    if not 5 <= limit_s <= 300:
        raise InputError(f"--limit {text}: allowed are 5s to 300s.")
    return limit_s
