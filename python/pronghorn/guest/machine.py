"""A guest's process: what its kernel is told, and what of this machine must not show in it."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pronghorn.engine import locate
from pronghorn.environment import CLOCK
from pronghorn.errors import HostError
from pronghorn.guest.kernels import Kernel

EPOCH_NS = 1_767_225_600 * 10**9
"""When a guest starts by its own clock: 1 January 2026, UTC. What happens in it must not depend on when it is
run."""

MEMORY = "1536M"
"""What a guest may use; only what it does use is taken from the machine."""

CAPABILITIES = "~0x4000000000000010"
"""What OpenSSL and its relatives are told of the CPU (OPENSSL_ia32cap(3)): that it has neither RDRAND nor a
time stamp counter. Both would give random numbers that don't follow from the seed."""

NOT_FOR_GUESTS = ("LD_PRELOAD", "TMPDIR", "PRONGHORN_AWAKE", "PRONGHORN_ISOLATION")
"""Variables that mean something on this machine alone."""

ENGINE_ALONE = ("con0=null,fd:2", "uml_dir=/dev/null")
"""Its console goes to stderr. The kernel would note its number for programs that don't exist here: it gets no
folder, so that nothing is left behind."""

LEAST_NUMBER = 900
"""The first of the descriptors by which files are named: few programs have as many."""

_MEMORY_BYTES = 1536 * 2**20
_SHARED_MEMORY = Path("/dev/shm")
_SEED = "PRONGHORN_GUEST_SEED"


class Numbered(NamedTuple):
    """A file that is named by a descriptor of ours, so that a kernel's command line is the same wherever the
    file stands."""

    number: int

    @property
    def name(self) -> str:
        """Its name for whoever has the descriptor."""
        return f"/proc/self/fd/{self.number}"


def numbered(path: Path, least: int) -> Numbered:
    """The file under the first number from `least` on that is free, which has to be closed."""
    opened = os.open(path, os.O_PATH)
    try:
        return Numbered(fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, least))
    finally:
        os.close(opened)


@cache
def engine() -> Numbered:
    """The engine's file, under one number as long as we run."""
    return numbered(locate(), LEAST_NUMBER)


def not_run(kernel: Kernel, error: OSError) -> HostError:
    """What is raised where a kernel's program can't be started."""
    return HostError(
        f"{kernel.program}: can't be run: {error.strerror}.",
        hint="Rebuild it: pronghorn guest --anew",
    )


def command(
    kernel: Kernel,
    places: Sequence[str] = ENGINE_ALONE,
    arguments: Sequence[str] = (),
    starts_ns: int = EPOCH_NS,
) -> list[str]:
    """The same for each guest, since the kernel mixes it into its random numbers (`random_init_early`)."""
    return [
        str(kernel.program),
        f"mem={MEMORY}",
        "time-travel=inf-cpu",
        f"time-travel-start={starts_ns}",
        "rootfstype=hostfs",
        "rootflags=/",
        "rw",
        "con=null",
        *places,
        # Nothing but its last words.
        "quiet",
        "loglevel=1",
        # From 6.16 on it costs half of what ptrace does. Where the kernel or the machine lacks it, ptrace is
        # used.
        "seccomp=auto",
        "dsp=/proc/self/fd/0",
        f"init={engine().name}",
        # What the kernel doesn't know is in its first process's environment, before that reads what the CPU
        # can do.
        f"OPENSSL_ia32cap={CAPABILITIES}",
        "--",
        "guest",
        *arguments,
    ]


def environment(kernel: Kernel, seed: int) -> Mapping[str, str]:
    """Of the kernel's process."""
    ours = {name: value for name, value in os.environ.items() if name.startswith("PRONGHORN_")}
    told = {**ours, "PATH": os.environ.get("PATH", os.defpath), "HOME": "/"}
    told["TMPDIR"] = str(_memory_folder())
    if kernel.random is not None:
        told |= {"LD_PRELOAD": str(kernel.random), _SEED: str(seed % 2**64)}
    return told


def inside(variables: Mapping[str, str]) -> dict[str, str]:
    """What programs in a guest get of `variables`, and what they are told of the CPU."""
    kept = {name: value for name, value in variables.items() if name not in NOT_FOR_GUESTS}
    return {**kept, "OPENSSL_ia32cap": CAPABILITIES, CLOCK: "virtual"}


def _memory_folder() -> Path:
    """Where a guest's memory lies as an unlinked file: in memory where there is room, else where temporary
    files go."""
    with contextlib.suppress(OSError):
        room = shutil.disk_usage(_SHARED_MEMORY).free
        runs = not os.statvfs(_SHARED_MEMORY).f_flag & os.ST_NOEXEC
        if os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) and room >= _MEMORY_BYTES and runs:
            return _SHARED_MEMORY
    return Path(tempfile.gettempdir())
