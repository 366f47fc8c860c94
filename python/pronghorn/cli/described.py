"""The program's commands, options and arguments as data: what its completion and its man pages are made
from."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pronghorn.check.finding import SEVERITIES
from pronghorn.model import experiment_file, study
from pronghorn.runs.prepare import vocabulary

FILES, FOLDERS = "files", "folders"

_FILES = ("FILE", "FORMAT[=FILE]")
_FOLDERS = ("DIR", "RUN", "BEFORE", "AFTER", "MAP…", "RUN...")
_WORDS: dict[str, Callable[[], tuple[str, ...]]] = {
    "EXPERIMENT": lambda: tuple(experiment_file.shipped_experiments()),
    "PROFILE|KEY=VALUE...": lambda: tuple(experiment_file.shipped_paths()),
    "STUDY[/RUN]": study.names,
    "CLOCK": lambda: ("real", "virtual"),
    "SITE": lambda: vocabulary().sites,
    "SEVERITY": lambda: (*SEVERITIES, "never"),
    "FORMAT[=FILE]": lambda: ("csv", "json", "parquet"),
    "COMMAND": lambda: (),
}
_ALSO_FILES = ("EXPERIMENT", "PROFILE|KEY=VALUE...")


class Value(NamedTuple):
    """What a value may be: its name in the help, the `words` that are known, and whether it is one of the
    `files` or `folders` there are."""

    name: str
    words: tuple[str, ...] = ()
    files: str = ""


class Option(NamedTuple):
    """An option: all its names, what it does, and its value, None for a flag."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    repeatable: bool


class Argument(NamedTuple):
    """A positional argument."""

    value: Value
    help: str
    required: bool
    several: bool


class Described(NamedTuple):
    """A command: its `words` (`policy fit`), what it does in a sentence, all of that, and what it takes."""

    words: tuple[str, ...]
    summary: str
    text: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...]
    commands: "tuple[Described, ...]"

    def all(self) -> "Iterator[Described]":
        """This command and those below it."""
        yield self
        for command in self.commands:
            yield from command.all()


HELP = Option(("--help",), "Show what this command takes, and exit.", None, False)


def described(command: Any, words: tuple[str, ...] = ()) -> Described:
    """A command of typer's, with those below it. `words` are those by which it is called."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    parameters = [each for each in command.params if not each.hidden]
    return Described(
        words=words,
        summary=text.split(". ")[0].rstrip("."),
        text="\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n")),
        options=(*(_option(each) for each in parameters if each.param_type_name == "option"), HELP),
        arguments=tuple(_argument(each) for each in parameters if each.param_type_name == "argument"),
        commands=tuple(
            described(below, (*words, name)) for name, below in getattr(command, "commands", {}).items()
        ),
    )


def _option(option: Any) -> Option:
    names = (*option.opts, *option.secondary_opts)
    value = None if option.is_flag else _value(option.metavar or "VALUE")
    return Option(names, option.help or "", value, bool(option.multiple))


def _argument(argument: Any) -> Argument:
    several = argument.nargs != 1
    return Argument(_value(argument.metavar), argument.help or "", bool(argument.required), several)


def _value(name: str) -> Value:
    words = _WORDS[name]() if name in _WORDS else ()
    if not words and "|" in name and name.replace("|", "").replace(".", "").isalnum():
        words = tuple(word for word in name.split("|") if not word.isupper())
    if name in _FILES or name in _ALSO_FILES:
        return Value(name, words, FILES)
    return Value(name, words, FOLDERS if name in _FOLDERS else "")
