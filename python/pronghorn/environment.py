"""What a program that we start gets of our own environment: a short list, for tokens stand in the rest."""

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

PASSED_ON = (
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "PATH",
    "PRONGHORN_*",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
)
"""The names; `*` stands for any ending."""

CLOCK = "PRONGHORN_CLOCK"
"""The variable by which programs in a guest learn that their clock is `virtual`."""

_OF_FOLDERS = ("LD_LIBRARY_PATH", "PATH", "PYTHONPATH")


def passed_on(more: Iterable[str] = ()) -> dict[str, str]:
    """The variables of ours that a program gets: those of the list, and those of `more`, in which `*` stands
    for any ending as well. Folders that are named from where we stand are told as absolute paths, since the
    program may stand in another place, where somebody else put files."""
    wanted = (*PASSED_ON, *more)
    return {
        name: absolute(value) if name in _OF_FOLDERS else value
        for name, value in os.environ.items()
        if any(fnmatchcase(name, pattern) for pattern in wanted)
    }


def cached(override: str, name: str) -> Path:
    """The folder `name` of ours in the user's cache, or the one that the variable `override` names."""
    if told := os.environ.get(override):
        return Path(told).absolute()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (cache / "pronghorn" / name).absolute()


def absolute(folders: str) -> str:
    """A list of folders as PATH has it, all of them absolute; an empty one is where we stand."""
    told = (str(Path(folder).absolute()) for folder in folders.split(os.pathsep))
    return os.pathsep.join(told) if folders else ""
