"""`pronghorn path --from-tc`: tc's lines as a path's words, and that path as TOML."""

import shlex
import sys
from collections.abc import Sequence
from typing import Any

from pronghorn import tc
from pronghorn.cli.results import writing_results
from pronghorn.model import toml_text
from pronghorn.model.experiment_file import shipped_paths
from pronghorn.model.path import PathProfile, from_words

HELP = (
    "The path of a line of tc, such as 'netem delay 100ms 20ms loss 0.3% 25%', or of a whole script. "
    "KEY=VALUE changes it. A line shapes the up link; 'down: LINE' and 'both: LINE' the others. Without "
    "COMMAND the path is printed as TOML. Repeatable."
)

NAME = "from-tc"


def translated(lines: Sequence[str], words: Sequence[str], *, tell: bool) -> list[str]:
    """`words` with the path of the lines behind the profile's name, if there is one. What it does, and what
    isn't the same, goes to stderr."""
    found = tc.translate(lines)
    if tell:
        print(f"path: {shlex.join(found.words)}", file=sys.stderr)
        for note in found.notes:
            print(note, file=sys.stderr)
    profile = list(words[:1]) if words and "=" not in words[0] else []
    return [*profile, *found.words, *words[len(profile) :]]


def show(words: Sequence[str]) -> None:
    """Prints the path for an experiment, and how it is written on a command line."""
    profile = from_words(words, shipped_paths())
    with writing_results():
        print(f"# pronghorn path {shlex.join(words)} -- COMMAND")
        print(toml_text.dumps({"path": {NAME: _with_files(profile)}}).lstrip().replace("{  }", "{}"), end="")


def _with_files(profile: PathProfile) -> dict[str, Any]:
    """The definition with the files where they are, and not where a run would keep them."""
    definition = profile.model_copy(deep=True).definition
    for keys, file in profile.files.items():
        *tables, last = keys.split(".")
        table = definition
        for key in tables:
            table = table[key]
        table[last] = file
    return definition
