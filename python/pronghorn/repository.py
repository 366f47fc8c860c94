"""Which commit of its own repository the program runs from."""

import subprocess
from pathlib import Path

_TREE = Path(__file__).parents[2]
_MARKS = ("Cargo.toml", "crates/path", "python/pronghorn")
"""The files by which our own tree is recognised."""

_LIMIT_S = 10.0


def commit() -> str | None:
    """The commit's hash, with `-dirty` where tracked files differ from it; None where the program isn't run
    from its repository."""
    if not all((_TREE / mark).exists() for mark in _MARKS):
        return None
    head, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--untracked-files=no")
    return None if head is None else f"{head}-dirty" if changes else head


def _git(*words: str) -> str | None:
    try:
        found = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(_TREE), *words],
            capture_output=True,
            check=True,
            text=True,
            timeout=_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
