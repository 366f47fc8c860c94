"""The completion of bash (Programmable Completion, bash(1)). It needs no package of completions beside it."""

import shlex

from pronghorn.cli.described import FILES, FOLDERS, Described, Value

_HEAD = """\
# bash completion of pronghorn, made by `pronghorn completion bash`.

_pronghorn() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= word at
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        # Behind it stands a command line of its own.
        [[ $word == -- ]] && { COMPREPLY=($(compgen -c -f -- "$current")); return; }
        case "$command $word" in
"""

_MIDDLE = """\
        esac
    done
    local options= words= kind=
    case "$command $previous" in
"""

_TAIL = """\
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
    case $kind in
        files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$current")) ;;
        folders) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$current")) ;;
    esac
}

complete -F _pronghorn pronghorn
"""


def script(program: Described) -> str:
    """The script for the whole `program`."""
    known = list(program.all())
    below = [command for command in known if command.words]
    lines = [_HEAD]
    lines += [
        f"            {_pattern(_reached(command))}) command={_command(command)} ;;\n" for command in below
    ]
    lines.append(_MIDDLE)
    for command in known:
        for option in command.options:
            if option.value is not None:
                patterns = "|".join(_pattern(f"{_spelt(command)} {name}") for name in option.names)
                lines.append(f"        {patterns}) {_set(option.value)} ;;\n")
    lines += ["        *) case $command in\n"]
    for command in known:
        options = " ".join(name for option in command.options for name in option.names)
        words = " ".join(each.words[-1] for each in command.commands)
        value = command.arguments[-1].value if command.arguments else Value("", tuple(words.split()))
        lines.append(f"            {_command(command)}) options={shlex.quote(options)} {_set(value)} ;;\n")
    lines += ["            esac ;;\n", _TAIL]
    return "".join(lines)


def _reached(command: Described) -> str:
    """The command so far and the word that leads to this one."""
    *before, last = command.words
    return f"{' '.join(before)} {last}"


def _spelt(command: Described) -> str:
    return " ".join(command.words)


def _command(command: Described) -> str:
    return shlex.quote(_spelt(command))


def _pattern(text: str) -> str:
    return shlex.quote(text)


def _set(value: Value) -> str:
    kind = value.files if value.files in (FILES, FOLDERS) else ""
    return f"words={shlex.quote(' '.join(value.words))} kind={kind}"
