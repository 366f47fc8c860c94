"""A site from any static folder: a copy, so that what is measured doesn't change while it is measured."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

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
    folder or leads to a folder or nowhere, anything that is neither file nor folder, a name that is no UTF-8,
    what can't be read, or a `directory` within the folder; OSError where `directory` can't be written.
    """
    resources = []
    for relative, content in _contents(source, directory):
        target = directory / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        path = "/" if relative == Path(_INDEX) else f"/{quote(relative.as_posix())}"
        resources.append(Resource(path, _KINDS.get(relative.suffix.lower(), "other"), len(content)))
    return BuiltSite(directory, "/", tuple(resources))


def _contents(source: Path, directory: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file's path below `source`, with its content. Whatever can't be read is a ValueError: an OSError
    of `copy` is one of writing."""
    try:
        top = _top(source, directory)
        for file in _files(source):
            _refuse_foreign(file, top)
            yield file.relative_to(source), file.read_bytes()
    except OSError as error:
        raise ValueError(f"{error.filename} can't be read: {error.strerror}") from None


def _top(source: Path, directory: Path) -> Path:
    """The folder `source` without links, where it can be a site."""
    if not source.is_dir():
        raise ValueError(f"{source} is no folder")
    if not (source / _INDEX).is_file():
        raise ValueError(f"{source} holds no {_INDEX}, the page that is loaded")
    top = source.resolve()
    if directory.resolve().is_relative_to(top):
        raise ValueError(
            f"{source} holds the temporary folder {directory}, to which it is to be copied; set TMPDIR "
            "to a folder elsewhere"
        )
    return top


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        else:
            yield entry


def _refuse_foreign(file: Path, top: Path) -> None:
    try:
        file.name.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(file).decode(errors="backslashreplace")
        raise ValueError(f"{shown}: the name is no UTF-8, and so no URL's") from None
    if file.is_symlink():
        target = _target(file)
        if not target.is_relative_to(top):
            raise ValueError(f"{file} is a link out of the folder, to {target}; copy what it points to")
        if target.is_dir():
            raise ValueError(f"{file} is a link to a folder; copy the folder in its place")
    if not file.is_file():
        raise ValueError(f"{file} is no regular file")


def _target(link: Path) -> Path:
    try:
        return link.resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError, RuntimeError):
        raise _nowhere(link) from None
    except OSError as error:
        # A circle of links, of which Python before 3.13 makes a RuntimeError.
        if error.errno == errno.ELOOP:
            raise _nowhere(link) from None
        raise


def _nowhere(link: Path) -> ValueError:
    return ValueError(f"{link} is a link that leads nowhere")
