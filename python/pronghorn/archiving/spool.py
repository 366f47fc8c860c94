"""Bodies on disk while an archive is made, so that memory holds one at a time."""

import hashlib
from pathlib import Path

from pronghorn.errors import HostError


class Spool:
    """Keeps bodies in the empty folder `folder`, equal ones once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        """Keeps a body; the name by which `read` gives it back. HostError where it can't be written."""
        name = hashlib.sha256(content).hexdigest()
        file = self._folder / name
        if not file.exists():
            try:
                file.write_bytes(content)
            except OSError as error:
                raise HostError(f"{file}: can't be written: {error.strerror}.") from error
        return name

    def read(self, name: str) -> bytes:
        """A body that was kept. HostError where the disk has lost it."""
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise HostError(f"{self._folder / name}: can't be read: {error.strerror}.") from error
