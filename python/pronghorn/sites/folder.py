"""A site from any static folder: a copy, so that what is measured doesn't change while it is measured."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pronghorn.model.site_settings import BY_KEY
from pronghorn.sites import compression, lookup, names, own_host
from pronghorn.sites.built import BuiltSite, Kind, Resource

MOST_IN_A_FILE = 1 << 30
"""Bytes that a file may have (1 GiB); what a page loads is far smaller."""

MOST_IN_ALL = 2 << 30
"""Bytes that all files of a site may have (2 GiB): the built-in origin holds them in memory."""

_INDEX = names.INDEX
_KINDS: dict[str, Kind] = {
    "html": "document",
    "htm": "document",
    "js": "script",
    "mjs": "script",
    "css": "style",
    "png": "image",
    "jpg": "image",
    "jpeg": "image",
    "gif": "image",
    "webp": "image",
    "avif": "image",
    "svg": "image",
    "ico": "image",
    "woff": "font",
    "woff2": "font",
    "ttf": "font",
    "otf": "font",
}


class _File(NamedTuple):
    """A file of the folder: where it is, and its place below the folder."""

    source: Path
    relative: Path

    @property
    def path(self) -> str:
        return f"/{self.relative.as_posix()}"

    @property
    def ending(self) -> str:
        return names.ending(self.path)


def copy(source: Path, directory: Path, *, compressed: bool = False, hosts: Sequence[str] = ()) -> BuiltSite:
    """Copies the folder `source` into `directory`; its page is `index.html`.

    Hidden files and folders (a leading dot) are left out. A link to a file within the folder is copied as
    that file. Absolute addresses of `hosts`, or else of the host from which the page was saved, become
    addresses of the site. A file beside another, whose name it has with `.br`, `.zst` or `.gz` after it, is
    the other's coded form: where the site is to be `compressed` it is served as it is, and text without one
    gets them; else it is left out.

    ValueError, with what is wrong and where, for no folder, no index.html, a link that leaves the folder or
    leads to a folder or nowhere, anything that is neither file nor folder, a name that is no UTF-8, what
    can't be read or is too large, or a `directory` within the folder; OSError where `directory` can't be
    written.
    """
    found, files = _examined(source, directory, asked=bool(hosts))
    own = tuple(hosts) or ((found.host,) if found else ())
    copying = _Copying(source, directory, own_host.Rewriter(own) if own else None, compressed)
    resources = [resource for file in files if (resource := copying.copy(file)) is not None]
    lookup.write(directory)
    notes: dict[str, Any] = {}
    if own:
        by = found.by if found else BY_KEY
        relative = copying.made_relative
        addresses = {"addresses": sum(relative.values()), "files": len(relative)}
        notes = {"host": ", ".join(own), "host_by": by, "made_relative": addresses}
    return BuiltSite(directory, "/", tuple(resources), notes)


def files(source: Path) -> list[Path]:
    """The files of any folder, hidden ones left out, in the order of their names. ValueError as `copy` has
    it: for what is no file of the folder's own, or too large."""
    try:
        if not source.is_dir():
            raise ValueError(f"{source} is no folder")
        top, found, total = source.resolve(), [], 0
        for file in _files(source):
            _refuse_foreign(file, top)
            total += _size(file)
            found.append(file)
    except OSError as error:
        raise _unreadable(error) from None
    if total > MOST_IN_ALL:
        raise ValueError(f"{source} has {total} bytes; a site may have {MOST_IN_ALL} (2 GiB)")
    return found


def _examined(source: Path, directory: Path, *, asked: bool) -> tuple[own_host.Found | None, list[_File]]:
    """The host from which the page was saved, unless one is `asked` for, and the folder's files, none of them
    too large. Whatever can't be read is a ValueError: an OSError of `copy` is one of writing."""
    try:
        top = _top(source, directory)
        files = [_File(path, path.relative_to(source)) for path in _files(source)]
        total = 0
        for file in files:
            _refuse_foreign(file.source, top)
            total += _size(file.source)
        if total > MOST_IN_ALL:
            raise ValueError(
                f"{source} has {total} bytes; a site may have {MOST_IN_ALL} (2 GiB), held in memory. "
                "Leave out what the page doesn't load"
            )
        found = None if asked else own_host.detect(top.name, _content(source / _INDEX))
    except OSError as error:
        raise _unreadable(error) from None
    return found, files


class _Copying:
    """One copy of a folder. `made_relative` counts the own addresses of each file that held some."""

    def __init__(
        self, source: Path, directory: Path, rewriter: own_host.Rewriter | None, compressed: bool
    ) -> None:
        self._source = source
        self._directory = directory
        self._rewriter = rewriter
        self._compressed = compressed
        self.made_relative: dict[str, int] = {}

    def copy(self, file: _File) -> Resource | None:
        """Copies a file, and where the site is compressed makes the coded forms that it lacks; None where it
        is itself another's coded form."""
        plain = _plain(file)
        if plain is not None and (not self._compressed or plain.path in self.made_relative):
            return None
        target = self._directory / file.relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.ending not in compression.TEXTS | own_host.TEXTS:
            size, coded = _copied(file.source, target), self._brought(file)
        else:
            content = self._relative(file, _read(file.source))
            target.write_bytes(content)
            size, coded = len(content), self._coded(file, content, target)
        if plain is not None:
            return None
        return Resource(names.url(file.path), _KINDS.get(file.ending, "other"), size, coded)

    def _relative(self, file: _File, content: bytes) -> bytes:
        """A text without absolute addresses of its own host."""
        if self._rewriter is None or file.ending not in own_host.TEXTS:
            return content
        content, addresses = self._rewriter.rewrite(content)
        if addresses:
            self.made_relative[file.path] = addresses
        return content

    def _coded(self, file: _File, content: bytes, target: Path) -> int | None:
        """Writes the coded forms of a text, unless the folder brought some. Returns the size of the one that
        is preferred, None where there is none."""
        if not self._compressed:
            return None
        if (brought := self._brought(file)) is not None:
            return brought
        made = compression.made_of(content) if file.ending in compression.TEXTS else {}
        for name, coded in made.items():
            target.with_name(target.name + compression.SIBLINGS[name]).write_bytes(coded)
        return next((len(made[name]) for name in compression.SIBLINGS if name in made), None)

    def _brought(self, file: _File) -> int | None:
        """The size of the preferred coded form that the folder brought, and that is still the file's."""
        if not self._compressed or file.path in self.made_relative:
            return None
        for ending in compression.SIBLINGS.values():
            beside = file.source.with_name(file.source.name + ending)
            if beside.is_file():
                return beside.stat().st_size
        return None


def _plain(file: _File) -> _File | None:
    """The file of which another is the coded form."""
    ending = file.source.suffix
    if ending not in compression.SIBLINGS.values():
        return None
    plain = _File(*(path.with_name(path.name.removesuffix(ending)) for path in file))
    return plain if plain.source.is_file() else None


def _size(file: Path) -> int:
    size = file.stat().st_size
    if size > MOST_IN_A_FILE:
        raise ValueError(
            f"{file} has {size} bytes; a file of a site may have {MOST_IN_A_FILE} (1 GiB). Leave it out"
        )
    return size


def _read(file: Path) -> bytes:
    """What a file holds; ValueError where it can't be read."""
    try:
        return _content(file)
    except OSError as error:
        raise _unreadable(error) from None


def _content(file: Path) -> bytes:
    with _opened(file) as opened:
        return opened.read(MOST_IN_A_FILE)


def _copied(file: Path, target: Path) -> int:
    """Copies a file without holding it in memory; the bytes that it has."""
    try:
        opened = _opened(file)
    except OSError as error:
        raise _unreadable(error) from None
    with opened, target.open("wb") as copy:
        shutil.copyfileobj(opened, copy)
        return copy.tell()


def _opened(file: Path) -> BinaryIO:
    """A regular file, to be read."""
    # Without O_NONBLOCK a pipe that took the file's place since it was looked at would be waited for.
    opened = os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
        opened.close()
        raise ValueError(f"{file} is not a regular file")
    return opened


def _unreadable(error: OSError) -> ValueError:
    return ValueError(f"{error.filename} can't be read: {error.strerror}")


def _top(source: Path, directory: Path) -> Path:
    """The folder `source` without links, where it can be a site."""
    if not source.is_dir():
        raise ValueError(f"{source} is no folder")
    if not (source / _INDEX).is_file():
        raise ValueError(f"{source} lacks {_INDEX}, the page to load")
    top = source.resolve()
    if directory.resolve().is_relative_to(top):
        raise ValueError(
            f"{source} contains the temporary folder {directory}, to which it would be copied. Set "
            "TMPDIR to another folder"
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
        raise ValueError(f"{shown}: the name is not UTF-8, so no URL can have it") from None
    if file.is_symlink():
        target = _target(file)
        if not target.is_relative_to(top):
            raise ValueError(
                f"{file} is a link to {target}, outside of the folder. Copy its target into the folder"
            )
        if target.is_dir():
            raise ValueError(f"{file} is a link to a folder. Copy the folder to its place")
    if not file.is_file():
        raise ValueError(f"{file} is not a regular file")


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
    return ValueError(f"{link} is a link to nothing")
