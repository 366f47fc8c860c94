"""Deleting a run or a map: nothing else, and none that is in use."""

import shutil
from pathlib import Path

from pronghorn.errors import HostError, InputError
from pronghorn.runs import catalogue
from pronghorn.runs.directory import EXPERIMENT, MANIFEST, RunDirectory
from pronghorn.runs.journal import JOURNAL

_MOST_NAMED = 3

_LAST = (JOURNAL, MANIFEST, EXPERIMENT, catalogue.MAP)
"""What makes it a run or a map: gone last, so that one whose deletion was cut can be deleted again."""


def check(path: Path) -> None:
    """InputError where the path is no run or map, belongs to a map, holds what isn't Pronghorn's, or is in
    use."""
    if path.is_symlink():
        raise InputError(f"{path}: is a link; name the run itself.", hint=f"It leads to {path.readlink()}.")
    if catalogue.kind_of(path) is None:
        raise InputError(
            f"{path}: is no run, so it stays.", hint="`pronghorn runs list` has those that there are."
        )
    belongs_to = path.resolve().parent
    if belongs_to.name == catalogue.BATCHES and catalogue.kind_of(belongs_to.parent) == "map":
        raise InputError(
            f"{path}: is part of the map {belongs_to.parent}, so it stays.",
            hint=f"Delete the map: pronghorn runs delete {belongs_to.parent}",
        )
    if others := catalogue.others(path):
        named = ", ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")
        raise InputError(
            f"{path}: holds what is not Pronghorn's ({named}), so it stays.",
            hint="Move that elsewhere first.",
        )
    if catalogue.in_use(path):
        raise InputError(
            f"{path}: a pronghorn is at work in it, so it stays.", hint="Wait for it, or end it."
        )


def remove(path: Path) -> int:
    """Deletes a run or a map; the bytes of disk that it took. As `check`, and HostError where the system
    refuses."""
    check(path)
    taken = sum(catalogue.disk_bytes(path).values())
    with RunDirectory(path, resume=True):
        try:
            for file in sorted(path.iterdir(), key=lambda each: each.name in _LAST):
                shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
            path.rmdir()
        except OSError as error:
            raise HostError(
                f"{path}: can't be deleted: {error.strerror}.", hint="Some of it may be gone already."
            ) from error
    return taken
