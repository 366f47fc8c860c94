"""A run's temporary folders, for what is built once a run (sites, certificates) and for what its origins and
clients write: gone when the run ends."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pronghorn.errors import HostError

PREFIX = "pronghorn-work-"
"""The engine's own folder for secrets has it too (`crates/bench/src/processes/isolation/private.rs`)."""

IN_GUEST = "PRONGHORN_IN_GUEST"
"""The variable that programs in a guest have."""

MEMORY = Path("/dev/shm")
"""A file system in memory: a browser whose profile lies there waits for no disk."""

MEMORY_BYTES = 2**30
"""The space that has to be free there: a profile has some 20 MB, a browser in memory ten times that."""


@contextmanager
def work_folder() -> Iterator[Path]:
    """A private folder, held by flock(2) and removed at the end. What killed runs left is swept first."""
    sweep()
    with held(None) as path:
        yield path


@contextmanager
def memory_folder() -> Iterator[Path | None]:
    """As `work_folder`, for what browsers write, in memory; None where there is none or too little."""
    with contextlib.ExitStack() as stack:
        path = None
        if has_memory():
            with contextlib.suppress(OSError):
                path = stack.enter_context(held(MEMORY))
        yield path


def has_memory() -> bool:
    """Whether browsers' profiles go to memory: where there is room and TMPDIR says nothing else, and for root
    alone, since of others systemd-logind may remove what lies there when they log out (`RemoveIPC`)."""
    if os.environ.get("TMPDIR") or os.geteuid() != 0 or not os.access(MEMORY, os.W_OK | os.X_OK):
        return False
    seen = os.statvfs(MEMORY)
    return seen.f_bavail * seen.f_frsize >= MEMORY_BYTES


def sweep(*others: Path) -> None:
    """Removes this user's work folders whose run is dead, in `others` as well. In a guest nothing is removed:
    locks that are held outside can't be seen there."""
    if os.environ.get(IN_GUEST):
        return
    folders = {MEMORY, Path(tempfile.gettempdir()), *others}
    for path in (path for folder in folders for path in folder.glob(f"{PREFIX}*")):
        if not path.is_symlink() and path.is_dir() and path.stat().st_uid == os.geteuid():
            lock = _lock(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def no_room(path: Path, error: OSError) -> HostError:
    """What is raised where something can't be written there."""
    return HostError(
        f"{path}: the work folder can't be written: {error.strerror}.",
        hint="Free some space, or name another folder in TMPDIR.",
    )


@contextmanager
def held(parent: Path | None) -> Iterator[Path]:
    """A private folder in `parent`, None: where temporary files go; held and removed as `work_folder`'s."""
    path, lock = _make(parent)
    try:
        yield path
    finally:
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
