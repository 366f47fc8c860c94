"""`pronghorn man`: the program's pages for man(1), made from what it says of itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pronghorn import __version__, cli
from pronghorn.cli.described import Described, described
from pronghorn.cli.results import writing_results
from pronghorn.errors import HostError, InputError, unknown

_STATUSES = (
    ("0", "Done."),
    ("1", "A --check failed."),
    ("2", "Bad usage or bad input."),
    ("3", "The host can't; the message ends with the fix."),
    ("4", "Nothing could be measured; the message has the reason and the fix."),
    ("70", "A bug; the message names the file that holds the traceback."),
    ("130", "Interrupted; the message names the command that continues."),
)


def man(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="A command's page (default: the program's).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write all pages there, such as ~/.local/share/man/man1."),
    ] = None,
) -> None:
    """Print a manual page: pronghorn man run | man -l -"""
    pages = {"-".join(("pronghorn", *each.words)): each for each in described(cli.whole()).all()}
    if out is not None:
        if page is not None:
            raise InputError("PAGE and --out exclude each other: --out writes all pages.")
        _write(out, pages)
        return
    name = "-".join(("pronghorn", *(page or "").removeprefix("pronghorn").split())).replace("--", "-")
    if name not in pages:
        raise InputError(unknown("page", page or "", [each.removeprefix("pronghorn-") for each in pages]))
    with writing_results():
        print(roff(name, pages), end="")


def roff(name: str, pages: dict[str, Described]) -> str:
    """The page of one command, in man(7)'s macros."""
    return "".join(f"{line}\n" for line in _lines(name, pages))


def _write(folder: Path, pages: dict[str, Described]) -> None:
    folder = folder.expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in pages:
            (folder / f"{name}.1").write_text(roff(name, pages), encoding="utf-8")
    except OSError as error:
        raise HostError(
            f"{folder}: pages can't be written there: {error.strerror}.", hint="Choose another with --out."
        ) from error
    with writing_results():
        print(f"{len(pages)} pages in {folder}: man pronghorn")


def _lines(name: str, pages: dict[str, Described]) -> Iterator[str]:
    command = pages[name]
    yield f'.TH {_escaped(name).upper()} 1 "" "pronghorn {__version__}" "Pronghorn"'
    yield ".SH NAME"
    yield f"{_escaped(name)} \\- {_escaped(command.summary)}"
    yield ".SH SYNOPSIS"
    yield _synopsis(command)
    yield ".SH DESCRIPTION"
    for number, part in enumerate(command.text.split("\n\n")):
        if number:
            yield ".PP"
        yield _escaped(part)
    if command.commands:
        yield ".SH COMMANDS"
        for below in command.commands:
            yield ".TP"
            yield f"\\fB{_escaped(' '.join(below.words))}\\fR"
            yield _escaped(f"{below.summary}.")
    if command.arguments:
        yield ".SH ARGUMENTS"
        for argument in command.arguments:
            yield ".TP"
            yield f"\\fI{_escaped(argument.value.name)}\\fR"
            yield _escaped(argument.help)
    yield ".SH OPTIONS"
    for option in command.options:
        value = f" \\fI{_escaped(option.value.name)}\\fR" if option.value else ""
        yield ".TP"
        yield ", ".join(f"\\fB{_escaped(each)}\\fR{value}" for each in option.names)
        yield _escaped(option.help)
    yield from _end(name, pages)


def _end(name: str, pages: dict[str, Described]) -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for status, meaning in _STATUSES:
        yield ".TP"
        yield f"\\fB{status}\\fR"
        yield _escaped(meaning)
    yield ".SH SEE ALSO"
    others = [each for each in pages if each != name and (name == "pronghorn" or each == "pronghorn")]
    yield ", ".join(f"\\fB{_escaped(each)}\\fR(1)" for each in others)


def _synopsis(command: Described) -> str:
    words = [f"\\fB{_escaped(' '.join(('pronghorn', *command.words)))}\\fR", "[\\fIOPTIONS\\fR]"]
    if command.commands:
        words.append("\\fICOMMAND\\fR")
    for argument in command.arguments:
        name = f"\\fI{_escaped(argument.value.name)}\\fR"
        words.append(name if argument.required else f"[{name}]")
    if command.words == ("path",):
        words.append("\\-\\- \\fICOMMAND\\fR...")
    return " ".join(words)


def _escaped(text: str) -> str:
    """Text that troff prints as it is: no macros, no escapes, and hyphens that can be copied."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
