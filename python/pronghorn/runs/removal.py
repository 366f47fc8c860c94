"""Deleting a run or a map: nothing else, and none that is in use."""

import shutil
from pathlib import Path

from pronghorn.errors import HostError, InputError
from pronghorn.runs import catalogue
from pronghorn.runs.directory import EXPERIMENT, MANIFEST, RunDirectory
from pronghorn.runs.journal import JOURNAL

_MOST_NAMED = 3

_LAST = (JOURNAL, MANIFEST, EXPERIMENT, catalogue.MAP)
"""The file that makes it a run or a map is deleted last, so an interrupted deletion can be repeated."""


def check(path: Path) -> None:
    """InputError where the path is no run or map, belongs to a map, holds what isn't Pronghorn's, or is in
    use."""
    if path.is_symlink():
        raise InputError(
            f"{path}: this is a link. Name the run itself.", hint=f"It points to {path.readlink()}."
        )
    if catalogue.kind_of(path) is None:
        raise InputError(
            f"{path}: this is no run, so it was not deleted.", hint="`pronghorn runs list` lists them."
        )
    belongs_to = path.resolve().parent
    if belongs_to.name == catalogue.BATCHES and catalogue.kind_of(belongs_to.parent) == "map":
        raise InputError(
            f"{path}: this is part of the map {belongs_to.parent}, so it was not deleted.",
            hint=f"Delete the map: pronghorn runs delete {belongs_to.parent}",
        )
    if others := catalogue.others(path):
        named = ", ".join(others[:_MOST_NAMED]) + (" …" if len(others) > _MOST_NAMED else "")
        raise InputError(
            f"{path}: holds files that are not Pronghorn's ({named}), so it was not deleted.",
            hint="Move those files first.",
        )
    if catalogue.in_use(path):
        raise InputError(
            f"{path}: another pronghorn is using it, so it was not deleted.", hint="Wait for it, or end it."
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
                f"{path}: can't be deleted: {error.strerror}.", hint="Parts of it may be deleted already."
            ) from error
    return taken
