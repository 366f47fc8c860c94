"""A site from any static folder: a copy, so that what is measured doesn't change while it is measured."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pronghorn.sites.built import BuiltSite, Kind, Resource

_INDEX = "index.html"
_KINDS: dict[str, Kind] = {
    ".html": "document",
    ".htm": "document",
    ".js": "script",
    ".mjs": "script",
    ".css": "style",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".gif": "image",
    ".webp": "image",
    ".avif": "image",
    ".svg": "image",
    ".ico": "image",
    ".woff": "font",
    ".woff2": "font",
    ".ttf": "font",
    ".otf": "font",
}


def copy(source: Path, directory: Path) -> BuiltSite:
    """Copies the folder `source` into `directory`; its page is `index.html`.

    Hidden files and folders (a leading dot) are left out. A link to a file within the folder is copied as
    that file. ValueError, with what is wrong and where, for no folder, no index.html, a link that leaves the
    folder or leads to a folder or nowhere, or anything that is neither file nor folder; OSError where
    `directory` can't be written.
    """
    if not source.is_dir():
        raise ValueError(f"{source} is no folder")
    if not (source / _INDEX).is_file():
        raise ValueError(f"{source} holds no {_INDEX}, the page that is loaded")
    top = source.resolve()
    resources = []
    for file in _files(source):
        _refuse_foreign(file, top)
        relative = file.relative_to(source)
        target = directory / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(file, target)
        except PermissionError as error:
            if error.filename == os.fspath(file):
                raise ValueError(f"{file} can't be read: {error.strerror}") from None
            raise
        path = "/" if relative == Path(_INDEX) else f"/{relative.as_posix()}"
        kind = _KINDS.get(file.suffix.lower(), "other")
        resources.append(Resource(path, kind, target.stat().st_size))
    return BuiltSite(directory, "/", tuple(resources))


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        else:
            yield entry


def _refuse_foreign(file: Path, top: Path) -> None:
    if file.is_symlink():
        target = file.resolve()
        if not target.is_relative_to(top):
            raise ValueError(f"{file} is a link out of the folder, to {target}; copy what it points to")
        if target.is_dir():
            raise ValueError(f"{file} is a link to a folder; copy the folder in its place")
    if not file.is_file():
        raise ValueError(f"{file} is no regular file")
