"""Mistakes in a command line that typer finds, in our words: what is wrong, what is allowed, what to type."""

import sys
from typing import Any

from pronghorn.cli import dashes
from pronghorn.errors import InputError, nearest, unknown

_WORDS = {
    "Input should be a valid integer": "is no whole number",
    "Input should be a valid number": "is no number",
    "Input should be greater than or equal to": "is too small: at least",
    "Input should be less than or equal to": "is too large: at most",
}
"""The library's words for a bad value, and ours."""


def explained(mistake: Any) -> InputError:
    """The error for one of typer's: an exception of its own, or of click's, as its version has it."""
    context = getattr(mistake, "ctx", None)
    path = context.command_path if context is not None else "pronghorn"
    called = path.removeprefix("pronghorn").strip() or "pronghorn"
    kind, hint = type(mistake).__name__, f"For help: {path} --help"
    if kind == "NoSuchOption" and context is not None:
        return _no_option(mistake, called, path, context)
    if kind == "MissingParameter" and mistake.param is not None:
        name = mistake.param.metavar or mistake.param.name.upper()
        about = (mistake.param.help or "").split(". ")[0].rstrip(".")
        return InputError(f"{called}: {name.rstrip('.')} is missing: {about}.", hint=hint)
    if kind == "BadParameter" and mistake.param is not None and mistake.param.opts[0].startswith("-"):
        name = mistake.param.opts[0]
        value = _value_of(mistake.param.opts)
        return InputError(f"{called}: {name} {value}: {_reworded(mistake.message)}.", hint=hint)
    if "unexpected extra argument" in mistake.message:
        extra = mistake.message.partition("(")[2].rpartition(")")[0]
        _, _, extra = extra.rpartition("(") if "(" in extra else ("", "", extra)
        usage = " ".join(context.get_usage().removeprefix("Usage:").split()) if context else path
        return InputError(f"{called}: {extra!r} is one argument too many.", hint=f"Usage: {usage}")
    if mistake.message.startswith("No such command") and context is not None:
        name = mistake.message.split("'")[1]
        return InputError(unknown("command", name, context.command.list_commands(context)), hint=hint)
    return InputError(f"{called}: {mistake.format_message()}", hint=hint)


def _no_option(mistake: Any, called: str, path: str, context: Any) -> InputError:
    name = mistake.option_name
    options = [each for param in context.command.params for each in (*param.opts, *param.secondary_opts)]
    long = [each for each in options if each.startswith("--")]
    meant = nearest(name, long) if name.startswith("--") else None
    wrong = f"{called} has no option {name}{f'; did you mean {meant}?' if meant else '.'}"
    if called == "path":
        return InputError(wrong, hint=f"COMMAND's own options go behind '--': {dashes.put(sys.argv[2:])}")
    if called == "run":
        from pronghorn.model.experiment_table import KEYS

        if key := nearest(name.lstrip("-"), KEYS):
            return InputError(
                f"run has no option {name}.",
                hint=f"For a key of the experiment: pronghorn run --set {key}=VALUE",
            )
    return InputError(wrong, hint=f"For its options: {path} --help")


def _value_of(names: list[str]) -> str:
    """What stands behind an option on the command line."""
    words = sys.argv[1:]
    for at, word in enumerate(words):
        if word in names and at + 1 < len(words):
            return words[at + 1]
        name, equals, value = word.partition("=")
        if equals and name in names:
            return value
    return ""


def _reworded(message: str) -> str:
    for theirs, ours in _WORDS.items():
        if message.startswith(theirs):
            rest = message.removeprefix(theirs)
            return f"{ours}{rest}" if ours[-1] == "t" else ours
    return message.rstrip(".")
