"""A run's temporary folder, for what is built once a run (sites, certificates): gone when the run ends."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "pronghorn-work-"


@contextmanager
def work_folder() -> Iterator[Path]:
    """A private folder, held by flock(2) and removed at the end. What killed runs left is swept first."""
    sweep()
    path, lock = _make()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Removes this user's work folders whose run is dead."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if not path.is_symlink() and path.is_dir() and path.stat().st_uid == os.geteuid():
            lock = _lock(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _make() -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = _lock(path)
        # Another start may have swept the folder between its making and its locking.
        if lock is not None and path.exists():
            return path, lock
        if lock is not None:
            os.close(lock)


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
