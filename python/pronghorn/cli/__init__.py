"""The command line: one file a command. Progress on stderr, results on stdout.

Exit status: 0 done; 1 a check or a calibration failed; 2 bad usage or bad input; 3 the host can't; 4 nothing
could be measured; 70 a bug in the program; 130 interrupted.
"""

import ast
import importlib
import importlib.util
import io
import keyword
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import InspectLoader
from typing import Annotated, Any

import typer

from pronghorn import __version__, crash, standard
from pronghorn.cli import usage
from pronghorn.cli.words import Command
from pronghorn.errors import EXIT_HOST, EXIT_INPUT, EXIT_INTERRUPTED, EXIT_OK, InputError, PronghornError
from pronghorn.foreign import visible
from pronghorn.host.interrupts import interruptible

COMMANDS = (
    "path",
    "load",
    "run",
    "map",
    "policy",
    "replicate",
    "report",
    "compare",
    "check",
    "doctor",
    "servers",
    "guest",
    "new",
    "runs",
    "record",
    "import",
    "mirror",
    "why",
    "completion",
    "man",
)
"""The commands, each a function in a module of its name, whose COMMAND_CLASS, if any, parses its words; or
the module's APP, which has commands of its own. A name that is a word of Python's has a `_` after it
there."""


def whole() -> Any:
    """The program with all its commands, as typer's command."""
    return typer.main.get_command(_application(""))


def _application(first: str | None) -> typer.Typer:
    """The program with the one command that is meant, else with all: what the others need takes a second to
    import."""
    app = typer.Typer(
        name="pronghorn",
        help="A laboratory that settles whether HTTP/3 is faster: for whom, by how much and why.",
        epilog="Exit status: 0 done; 1 a check failed; 2 bad input; 3 this host can't; 4 nothing could "
        "be measured; 70 a bug; 130 interrupted. 'path' returns its command's status.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        callback=_options,
    )
    if first in (None, "--help"):
        _list(app)
    elif first != "--version":
        _add(app, [first] if first in COMMANDS else COMMANDS)
    return app


def _list(app: typer.Typer) -> None:
    """Adds all commands with nothing but what their list says of them: the docstring of a command's function,
    and the help of an APP. Read from the source, since importing all takes two seconds."""
    for name in COMMANDS:
        tree = ast.parse(_source(f"pronghorn.cli.{in_python(name)}"))
        functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
        if in_python(name) in functions:
            app.command(name, help=ast.get_docstring(functions[in_python(name)]))(_options)
        else:
            app.add_typer(typer.Typer(help=_help_of_app(tree), callback=_options), name=name)


def _help_of_app(tree: ast.Module) -> str:
    (told,) = (
        keyword.value.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "typer.Typer"
        for keyword in call.keywords
        if keyword.arg == "help" and isinstance(keyword.value, ast.Constant)
    )
    return str(told)


def _source(module: str) -> str:
    found = importlib.util.find_spec(module)
    if found is None or not isinstance(found.loader, InspectLoader):
        raise ImportError(f"{module} has no source")
    return found.loader.get_source(module) or ""


def _add(app: typer.Typer, names: Iterable[str]) -> None:
    for name in names:
        module = importlib.import_module(f"pronghorn.cli.{in_python(name)}")
        if group := getattr(module, "APP", None):
            app.add_typer(group, name=name)
        else:
            app.command(name, cls=getattr(module, "COMMAND_CLASS", Command))(getattr(module, in_python(name)))


def in_python(name: str) -> str:
    """The name of a command's module and of its function."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _version(asked: bool) -> None:
    if asked:
        print(f"pronghorn {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """The program `pronghorn`: a foreseeable fault is one message on stderr and its exit status, any other
    one message and status 70."""
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with standard.outlets() as stdout:
        status = _done()
        stdout.flush()
        if stdout.fault is not None:
            hint = f" {stdout.hint}" if stdout.hint else ""
            print(f"pronghorn: stdout can't be written: {stdout.fault.strerror}.{hint}", file=sys.stderr)
            status = status or EXIT_HOST
    sys.exit(status)


def _done() -> int:
    """Does what the command line asks for; the exit status."""
    try:
        _refuse_unencodable(sys.argv[1:])
        with interruptible():
            return _run()
    except PronghornError as error:
        print(f"pronghorn: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return error.exit_status
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_OK if end.code is None else EXIT_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BaseException as error:
        return crash.tell(error)


def _run() -> int:
    application = typer.main.get_command(_application(next(iter(sys.argv[1:]), None)))
    try:
        return application.main(prog_name="pronghorn", standalone_mode=False) or EXIT_OK
    except Exception as error:
        mistake: Any = error
        if not hasattr(mistake, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # the help is printed
            return EXIT_INPUT
        # A mistake in the command line. Its class is typer's own or click's, as typer's version has it.
        mistake.message = visible(mistake.message or "")
        raise usage.explained(mistake) from None


def _open_standard_streams() -> None:
    """Where one of the three was closed (`<&-`), so that no file of ours takes its number."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
        if opened > 0:
            setattr(sys, ("stdout", "stderr")[opened - 1], os.fdopen(opened, "w", closefd=False))
    os.close(opened)


def _refuse_unencodable(arguments: Sequence[str]) -> None:
    """InputError for an argument that is no UTF-8: it could not be recorded."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise InputError(f"{argument!a}: this argument is not valid UTF-8.") from None
