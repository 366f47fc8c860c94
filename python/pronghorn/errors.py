"""The one family of errors that a person may meet; anything else that escapes is a bug.

A message says where (file, line, key), what is wrong, what is allowed and the nearest valid name; a hint says
what to do about it.
"""

from collections.abc import Iterable
from difflib import get_close_matches

EXIT_OK = 0
EXIT_CHECK_FAILED = 1
EXIT_INPUT = 2
EXIT_HOST = 3
EXIT_NOTHING_MEASURED = 4
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


_MOST_NAMES, _NAMED = 40, 8
"""The most names that a message lists."""


class PronghornError(Exception):
    """A foreseeable fault: `message` for the person, `hint` with the mend, and the program's exit status."""

    exit_status = EXIT_HOST

    def __init__(self, message: str, *, hint: str | None = None, exit_status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_status is not None:
            self.exit_status = exit_status


class InputError(PronghornError):
    """Bad usage or bad input: exit status 2."""

    exit_status = EXIT_INPUT


class HostError(PronghornError):
    """This host can't, or something on it broke: exit status 3."""

    exit_status = EXIT_HOST


class NothingMeasured(PronghornError):
    """Nothing could be measured: exit status 4. What was recorded on the way is kept."""

    exit_status = EXIT_NOTHING_MEASURED


class Interrupted(PronghornError):
    """Ctrl-C or SIGTERM: exit status 130."""

    exit_status = EXIT_INTERRUPTED


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The valid name which `name` was probably meant to be, or None where none is near."""
    candidates = list(allowed)
    folded = {candidate.lower(): candidate for candidate in candidates}
    found = get_close_matches(name.lower(), folded, n=1, cutoff=0.5)
    return folded[found[0]] if found else None


def unknown(kind: str, name: str, allowed: Iterable[str]) -> str:
    """The sentence for a `name` which is none of the `allowed`: what is wrong, what is allowed, what is
    nearest. Of very many, the nearest are named."""
    names = sorted(set(allowed))
    meant = nearest(name, names)
    question = f"; did you mean {meant!r}?" if meant else "."
    if len(names) > _MOST_NAMES:
        near = get_close_matches(name, names, n=_NAMED, cutoff=0) or names[:_NAMED]
        return f"unknown {kind} {name!r}{question} Allowed are {len(names)}: {', '.join(near)} …"
    return f"unknown {kind} {name!r}{question} Allowed: {', '.join(names) or 'none'}."
