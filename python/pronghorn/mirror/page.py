"""A page with what it asks for, and what that asks for, into a folder."""

import html
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit

from pronghorn.errors import HostError, InputError, NothingMeasured
from pronghorn.mirror import place, references
from pronghorn.mirror.fetch import Failed, Fetched, fetch

_WITHIN_S = 30.0
MOST_FILES = 2000
MOST_BYTES = 2 * 2**30
_SCHEMES = ("http", "https")
_HEAD = re.compile(rb"<head\b[^>]*>", re.IGNORECASE)


class Mirrored(NamedTuple):
    """What is in the folder: files and bytes; `left_out`: addresses of other hosts; `failed`: addresses of
    its own that could not be had, each with why."""

    folder: Path
    files: int
    total_bytes: int
    left_out: list[str]
    failed: dict[str, str]


def mirror(address: str, folder: Path | None, tell: Callable[[str], None]) -> Mirrored:
    """Fetches the page at `address` into `folder`, else into one with the host's name, which must not be
    there yet. `tell` is told each address. InputError where the address is none, NothingMeasured where the
    page can't be had, HostError where the folder can't be written."""
    if urlsplit(address).scheme not in _SCHEMES or not urlsplit(address).hostname:
        raise InputError(
            f"{address}: this is not the address of a page.",
            hint="Write the full address: pronghorn mirror https://shop.example/",
        )
    tell(address)
    try:
        page = fetch(address, within_s=_WITHIN_S)
    except Failed as why:
        raise NothingMeasured(
            f"{address}: the page can't be fetched: {why}.",
            hint="Look at it in a browser, or name another page.",
        ) from None
    if page.kind not in ("text/html", "application/xhtml+xml"):
        raise InputError(f"{address}: this is {page.kind}, not a page.", hint="Name the page that uses it.")
    host = urlsplit(page.address).hostname or ""
    root = folder or Path(host)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError(
            f"{root}: already exists and was not changed.", hint="Choose another folder: --out FOLDER"
        )
    return _Mirror(page, root, tell).run()


class _Mirror:
    def __init__(self, page: Fetched, root: Path, tell: Callable[[str], None]) -> None:
        self._page, self._root, self._tell = page, root, tell
        self._own = _origin(urlsplit(page.address))
        self._ahead: list[str] = []
        self._known: set[str] = {page.address}
        self._taken = {PurePosixPath(place.INDEX)}
        self._left_out: list[str] = []
        self._failed: dict[str, str] = {}
        self._files = self._bytes = 0

    def run(self) -> Mirrored:
        """The page first, then each address once, in the order in which they are found."""
        self._note_references(self._page)
        self._keep(PurePosixPath(place.INDEX), _with_base(self._page))
        while self._ahead:
            self._take(self._ahead.pop(0))
        return Mirrored(self._root, self._files, self._bytes, self._left_out, self._failed)

    def _take(self, address: str) -> None:
        at = place.of(urlsplit(address))
        if at is None or self._files >= MOST_FILES:
            self._failed[address] = (
                "no file can have this name" if at is None else f"more than {MOST_FILES} files"
            )
            return
        if at in self._taken:  # another spelling of the same address
            return
        self._taken.add(at)
        self._tell(address)
        try:
            fetched = fetch(address, within_s=_WITHIN_S, most=min(MOST_BYTES - self._bytes, 2**28))
            self._keep(at, fetched.content)
        except (Failed, FileExistsError, NotADirectoryError, IsADirectoryError) as why:
            clash = "another address already has its name" if isinstance(why, OSError) else str(why)
            self._failed[address] = clash
            return
        self._note_references(fetched)

    def _keep(self, at: PurePosixPath, content: bytes) -> None:
        file = self._root / at
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as opened:
                opened.write(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise
        except OSError as error:
            raise HostError(f"{file}: can't be written: {error.strerror}.") from error
        self._files += 1
        self._bytes += len(content)

    def _note_references(self, fetched: Fetched) -> None:
        """Takes note of what a document or a style sheet asks for."""
        base, found = fetched.address, list[str]()
        if fetched.kind in ("text/html", "application/xhtml+xml", "image/svg+xml"):
            told, found = references.in_document(_text(fetched))
            base = urljoin(base, told) if told else base
        elif fetched.kind == "text/css":
            found = references.in_style(_text(fetched))
        for each in found:
            try:
                address = urldefrag(urljoin(base, each)).url
                parts = urlsplit(address)
                own = _origin(parts) == self._own
            except ValueError:
                continue
            if parts.scheme not in _SCHEMES or address in self._known:
                continue
            self._known.add(address)
            (self._ahead if own else self._left_out).append(address)


def _origin(parts: SplitResult) -> tuple[str, int | None]:
    """The host and its port; http and https of one host are the same site."""
    return parts.hostname or "", None if parts.port in (80, 443) else parts.port


def _text(fetched: Fetched) -> str:
    try:
        return fetched.content.decode(fetched.charset, errors="replace")
    except LookupError:
        return fetched.content.decode("utf-8", errors="replace")


def _with_base(page: Fetched) -> bytes:
    """The page as it is; of one that isn't at the root, with the address from which its references count."""
    folder = urlsplit(page.address).path.rpartition("/")[0] + "/"
    if folder == "/" or references.in_document(_text(page))[0]:
        return page.content
    base = f'<base href="{html.escape(folder)}">'.encode()
    head = _HEAD.search(page.content)
    at = head.end() if head else 0
    return page.content[:at] + base + page.content[at:]
