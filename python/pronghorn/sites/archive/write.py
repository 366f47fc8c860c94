"""A new archive: made beside its place, and put there when it is whole."""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pronghorn.errors import HostError, InputError
from pronghorn.sites.archive import layout, limits
from pronghorn.sites.archive.exchange import Exchange
from pronghorn.sites.archive.site import Site


class Writer:
    """Writes an archive into the new folder `target`: `with Writer(target) as writer`, `body` for each
    body, then `finish`. Without `finish` nothing is left. `scratch` is a folder for what its maker needs
    meanwhile."""

    def __init__(self, target: Path) -> None:
        """InputError where `target` is there and not an empty folder; HostError where nothing can be
        written."""
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(
                f"{target}: already exists and was not changed.", hint="Choose another folder: -o DIR"
            )
        self._target = target
        self._sizes: dict[str, int] = {}
        try:
            target.absolute().parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(
                tempfile.mkdtemp(prefix=f".{target.name[:100]}.", dir=target.absolute().parent)
            )
            self._folder.chmod(0o777 & ~_umask())
            self.scratch = self._folder / ".scratch"
            self.scratch.mkdir(mode=0o700)
        except OSError as error:
            raise HostError(f"{target}: can't be written: {error.strerror}.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def body(self, content: bytes) -> str | None:
        """Keeps the bytes of a body; its SHA-256, None where there are no bytes. InputError where it, or all
        bodies together, are larger than `limits` says."""
        if not content:
            return None
        if len(content) > limits.MOST_BODY:
            raise InputError(
                f"a body has {len(content)} bytes; {limits.MOST_BODY} (256 MiB) at most are allowed."
            )
        digest = hashlib.sha256(content).hexdigest()
        if digest in self._sizes:
            return digest
        self._sizes[digest] = len(content)
        if sum(self._sizes.values()) > limits.MOST_BODIES:
            raise InputError(f"the site's bodies have more than {limits.MOST_BODIES} bytes (2 GiB).")
        file = layout.body(self._folder, digest)
        with self._writing():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return digest

    def finish(self, site: Site, exchanges: Iterable[Exchange]) -> None:
        """Writes both files and puts the folder in its place."""
        with self._writing():
            shutil.rmtree(self.scratch)
            (self._folder / layout.SITE).write_text(site.to_toml(), encoding="utf-8")
            with (self._folder / layout.REQUESTS).open("w", encoding="utf-8") as file:
                for one in exchanges:
                    file.write(one.model_dump_json() + "\n")
            if self._target.is_dir():
                self._target.rmdir()
            self._folder.rename(self._target)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise HostError(f"{self._target}: can't be written: {error.strerror}.") from error


def _umask() -> int:
    """The process's umask, which can only be read by setting it (umask(2))."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
