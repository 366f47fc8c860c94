"""The completion of fish (complete(1))."""

from collections.abc import Iterator

from pronghorn.cli.described import FILES, FOLDERS, Described, Option, Value

_HEAD = """\
# fish completion of pronghorn, made by `pronghorn completion fish`.

function __pronghorn_at
    # Whether the words so far call the command of these words, and none below it; behind -- nothing is ours.
    set -l words (commandline -opc)
    contains -- -- $words; and return 1
    set -l said (string match -v -- '-*' $words[2..-1])
    set -l depth (count $argv)
    test $depth -eq 0; and return 0
    test (count $said) -ge $depth; and test "$said[1..$depth]" = "$argv"
end

function __pronghorn_first
    set -l words (commandline -opc)
    test (count (string match -v -- '-*' $words)) -eq (math (count $argv) + 1); and __pronghorn_at $argv
end

complete -c pronghorn -f
complete -c pronghorn -n 'contains -- -- (commandline -opc)' -F
"""


def script(program: Described) -> str:
    """The script for the whole `program`."""
    return _HEAD + "".join(f"{line}\n" for command in program.all() for line in _lines(command))


def _lines(command: Described) -> Iterator[str]:
    yield ""
    at = _quoted(" ".join((("__pronghorn_at" if command.words else "__pronghorn_first"), *command.words)))
    first = _quoted(" ".join(("__pronghorn_first", *command.words)))
    for below in command.commands:
        yield f"complete -c pronghorn -n {first} -a {_quoted(below.words[-1])} -d {_short(below.summary)}"
    for option in command.options:
        yield f"complete -c pronghorn -n {at} {_names(option)} -d {_short(option.help)}{_value(option.value)}"
    for argument in command.arguments:
        yield f"complete -c pronghorn -n {at}{_argument(argument.value)}"


def _names(option: Option) -> str:
    return " ".join(
        f"-l {_quoted(name[2:])}" if name.startswith("--") else f"-s {_quoted(name[1:])}"
        for name in option.names
    )


def _value(value: Value | None) -> str:
    if value is None:
        return ""
    return f" {'-r' if value.files == FILES else '-x'}{_argument(value)}"


def _argument(value: Value) -> str:
    words = f" -a {_quoted(' '.join(value.words))}" if value.words else ""
    if value.files == FOLDERS:
        return f"{words} -a '(__fish_complete_directories)'"
    return f"{words} -F" if value.files == FILES else words


def _short(text: str) -> str:
    return _quoted(text.split(". ")[0].split("\n")[0][:90].rstrip("."))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
