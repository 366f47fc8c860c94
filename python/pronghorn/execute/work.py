"""A run's temporary folders, for what is built once a run (sites, certificates) and for its trials: gone when
the run ends."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "pronghorn-work-"

MEMORY = Path("/dev/shm")
"""A file system in memory: a browser whose profile lies there waits for no disk."""

MEMORY_BYTES = 2**30
"""So much has to be free there."""


@contextmanager
def work_folder(*, small: bool = False) -> Iterator[Path]:
    """A private folder, held by flock(2) and removed at the end; in memory where that has room and what goes
    there is `small`, unless TMPDIR says where. What killed runs left is swept first."""
    sweep()
    path, lock = _make(_in_memory() if small else None)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Removes this user's work folders whose run is dead."""
    folders = {MEMORY, Path(tempfile.gettempdir())}
    for path in (path for folder in folders for path in folder.glob(f"{PREFIX}*")):
        if not path.is_symlink() and path.is_dir() and path.stat().st_uid == os.geteuid():
            lock = _lock(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _make(parent: Path | None) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        lock = _lock(path)
        # Another start may have swept the folder between its making and its locking.
        if lock is not None and path.exists():
            return path, lock
        if lock is not None:
            os.close(lock)


def _in_memory() -> Path | None:
    if any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")):
        return None
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    seen = os.statvfs(MEMORY)
    return MEMORY if seen.f_bavail * seen.f_frsize >= MEMORY_BYTES else None


def _lock(path: Path) -> int | None:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
