"""The completion of zsh, by its function _arguments (zshcompsys(1))."""

import re

from pronghorn.cli.described import FILES, FOLDERS, Argument, Described, Option, Value

_HEAD = (
    "#compdef pronghorn\n# zsh completion of pronghorn, made by `pronghorn completion zsh`.\n"
    + """
_pronghorn_or_file() {
  compadd -- "$@"
  _files
}
"""
)

_GROUP = """
{function}() {{
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \\
{options}
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
{commands}
      )
      _describe command commands ;;
    rest)
      case $line[1] in
{cases}
      esac ;;
  esac
}}
"""

_BEHIND = """\
  local at=$words[(i)--]
  if (( at < CURRENT )); then
    shift $at words; (( CURRENT -= at )); _normal; return
  fi
"""
"""Behind `--` stands a command line of its own."""

_TAIL = """
if [ "$funcstack[1]" = _pronghorn ]; then
  _pronghorn "$@"
else
  compdef _pronghorn pronghorn
fi
"""


def script(program: Described) -> str:
    """The script for the whole `program`."""
    parts = [_HEAD]
    for command in program.all():
        parts.append(_group(command) if command.commands else _leaf(command))
    return "".join(parts) + _TAIL


def _group(command: Described) -> str:
    return _GROUP.format(
        function=_function(command),
        options="\n".join(f"    {_quoted(text)} \\" for option in command.options for text in _spec(option)),
        commands="\n".join(
            f"        {_quoted(each.words[-1] + ':' + _plain(each.summary))}" for each in command.commands
        ),
        cases="\n".join(f"        {each.words[-1]}) {_function(each)} ;;" for each in command.commands),
    )


def _leaf(command: Described) -> str:
    specs = [text for option in command.options for text in _spec(option)]
    specs += [_positional(number, each) for number, each in enumerate(command.arguments, 1)]
    body = " \\\n".join(f"    {_quoted(text)}" for text in specs)
    return f"\n{_function(command)}() {{\n{_BEHIND}  _arguments -s \\\n{body}\n}}\n"


def _spec(option: Option) -> list[str]:
    star = "*" if option.repeatable else ""
    about = f"[{_plain(option.help)}]"
    value = "" if option.value is None else f":{_plain(option.value.name)}:{_action(option.value)}"
    return [f"{star}{name}{about}{value}" for name in option.names]


def _positional(number: int, argument: Argument) -> str:
    place = "*" if argument.several else f"{number}"
    colon = ":" if argument.required or argument.several else "::"
    return f"{place}{colon}{_plain(argument.value.name)}:{_action(argument.value)}"


def _action(value: Value) -> str:
    if value.words and value.files == FILES:
        return f" _pronghorn_or_file {_words(value)}"
    if value.words:
        return f"({_words(value)})"
    return {FILES: "_files", FOLDERS: "_files -/"}.get(value.files, " ")


def _words(value: Value) -> str:
    return " ".join(value.words)


def _function(command: Described) -> str:
    return "_".join(("_pronghorn", *command.words))


def _plain(text: str) -> str:
    """What stands in brackets or between colons, on one line and not too long."""
    first = text.split(". ")[0].split("\n")[0]
    return re.sub(r"([\\\[\]:])", r"\\\1", first[:90].rstrip(".")).replace("`", "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
