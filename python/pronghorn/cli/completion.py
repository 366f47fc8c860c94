"""`pronghorn completion`: what a shell completes, as a script for it.

A script that asked the program at each press of the key would take its start, a second and more. These hold
all that is known, so they are to be made anew with the program."""

from typing import Annotated

import typer

from pronghorn import cli
from pronghorn.cli import completion_bash, completion_fish, completion_zsh
from pronghorn.cli.described import described
from pronghorn.cli.results import writing_results
from pronghorn.errors import InputError, unknown

_SHELLS = {
    "bash": completion_bash.script,
    "zsh": completion_zsh.script,
    "fish": completion_fish.script,
}


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish", help="The shell.")],
) -> None:
    """Print the completion of commands, options, paths and files for a shell.

    bash: pronghorn completion bash > ~/.local/share/bash-completion/completions/pronghorn

    zsh: pronghorn completion zsh > ~/.zfunc/_pronghorn, with fpath+=~/.zfunc before compinit in ~/.zshrc

    fish: pronghorn completion fish > ~/.config/fish/completions/pronghorn.fish
    """
    if shell not in _SHELLS:
        raise InputError(unknown("shell", shell, _SHELLS))
    with writing_results():
        print(_SHELLS[shell](described(cli.whole())), end="")
