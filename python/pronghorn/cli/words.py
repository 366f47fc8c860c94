"""The words of a command line, looked at before typer reads them: an option that lacks its value is told,
rather than taking the next option for it."""

from typing import Any

from typer.core import TyperCommand

from pronghorn.errors import InputError

_PATHS = ("DIR", "FILE", "RUN")
"""The placeholders for a file or a folder in our help."""


class Command(TyperCommand):
    """A command whose options don't take each other for values. Whoever means a value that looks like an
    option writes it behind `=`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """InputError where an option lacks its value, names a file by nothing, or an argument is empty."""
        options: dict[str, Any] = {name: option for option in self.params for name in _names(option)}
        words = iter(args)
        for word in words:
            if word == "--":
                break
            if not word:
                raise InputError(
                    f"{ctx.command_path}: an argument is empty.",
                    hint="It may come from an unset shell variable.",
                )
            name, equals, text = word.partition("=")
            value: str | None = text
            option = options.get(name)
            if option is None:
                continue
            if not _takes_value(option):
                if equals and option.is_flag:
                    raise InputError(
                        f"{name}: takes no value, but was given {value!r}.", hint=f"Write {name}."
                    )
                continue
            if not equals:
                value = next(words, None)
                if value is None:
                    raise InputError(
                        f"{name}: needs a value, {option.metavar}, but nothing follows.",
                        hint=f"Write it after {name}.",
                    )
                if _is_option(value, option, options):
                    raise InputError(
                        f"{name}: needs a value, {option.metavar}, but {value} is an option.",
                        hint=f"Write it after {name}, or {name}={value} if you mean that.",
                    )
            if not value and _is_path(option) and (equals or args[-1] != name):
                raise InputError(f"{name}: needs a value, {option.metavar}, but it is empty.")
        return super().parse_args(ctx, args)


def _names(option: Any) -> list[str]:
    return [*option.opts, *option.secondary_opts] if option.param_type_name == "option" else []


def _takes_value(option: Any) -> bool:
    return not option.is_flag and option.nargs == 1


def _is_path(option: Any) -> bool:
    return option.metavar in _PATHS


def _is_option(value: str, option: Any, options: dict[str, Any]) -> bool:
    """A word is an option where the command has one of this name; and, in the place of a file, where it looks
    like one."""
    name = value.partition("=")[0]
    return name in options or value == "--" or (_is_path(option) and value.startswith("--"))
