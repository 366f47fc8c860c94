"""The guests' kernels: where they are kept, which are there."""

import hashlib
import os
import platform
import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pronghorn import reading
from pronghorn.environment import cached
from pronghorn.errors import HostError, InputError, unknown
from pronghorn.model import foreign

OVERRIDE = "PRONGHORN_GUEST"
"""The variable that names another folder for them than the user's cache."""

RECORD = "kernel.json"
CONFIGURATION = "configuration"
"""What a record says of the configuration that its kernel was built with: its SHA-256."""

PROGRAM = "linux"
RANDOM = "random.so"

MACHINE = "x86_64"
"""The machine that User Mode Linux with a virtual clock runs on."""

NEWEST = "newest"
"""What is built unless a version is asked for: the newest that Debian has."""

STABLE = "6.12"
"""What Debian 13 has: the oldest that is known to work."""

MEND = "pronghorn guest"

NEWER = f"Versions before 6.16 can't start on CPUs with AMX. Build a newer one: {MEND}"
"""What to do about a kernel that doesn't start."""


class Kernel(NamedTuple):
    """A kernel: `version` is what it is asked for by, `release` what it says of itself, `program` its
    file. `random` is a library by which its random numbers follow from a seed; None: they are the
    machine's. `is_current` says whether it was built with today's configuration, or by somebody else."""

    version: str
    release: str
    program: Path
    random: Path | None
    is_current: bool = True


def configuration() -> str:
    """The SHA-256 of what kernels are configured with today."""
    return hashlib.sha256((files("pronghorn") / "data/guest/kernel.config").read_bytes()).hexdigest()


def folder() -> Path:
    """Where kernels are kept: PRONGHORN_GUEST, else in the user's cache."""
    return cached(OVERRIDE, "guest")


def place(version: str) -> Path:
    """The folder of one version."""
    return folder() / f"linux-{version}-{MACHINE}"


def found(version: str) -> Kernel | None:
    """The kernel of that version, where it is built."""
    where = place(version)
    try:
        record = foreign.json_table(reading.content(where / RECORD, reading.MOST_JSON, "a record"))
        release = str(record["release"])
    except (reading.Unreadable, ValueError, KeyError, TypeError):
        return None
    program, random = where / PROGRAM, where / RANDOM
    if not os.access(program, os.X_OK):
        return None
    is_current = record.get(CONFIGURATION) in (None, configuration())
    return Kernel(version, release, program, random if random.is_file() else None, is_current)


def built() -> list[Kernel]:
    """The kernels that are built, the newest first."""
    prefix, suffix = "linux-", f"-{MACHINE}"
    try:
        names = [path.name for path in folder().iterdir()]
    except OSError:
        return []
    versions = [
        name[len(prefix) : -len(suffix)]
        for name in names
        if name.startswith(prefix) and name.endswith(suffix)
    ]
    kernels = [kernel for version in versions if (kernel := found(version)) is not None]
    return sorted(kernels, key=lambda kernel: (numbers(kernel.version), kernel.version), reverse=True)


def need(version: str | None = None) -> Kernel:
    """The kernel of that version, or the newest that is built; HostError where it isn't, InputError where no
    version is called so."""
    require_machine()
    kernels = built()
    version = None if version == NEWEST else version
    if version is None and kernels:
        return kernels[0]
    for kernel in kernels:
        if kernel.version == version:
            return kernel
    if version is not None and not numbers(version):
        raise InputError(unknown("kernel", version, [kernel.version for kernel in kernels]))
    what = f"the kernel {version}" if version else "a kernel"
    command = MEND
    if version is not None:
        more = f" --source linux-{version}.tar.xz" if numbers(version) < numbers(STABLE) else ""
        command = f"{MEND} {version}{more}"
    raise HostError(
        f"virtual time needs {what} for guests, which is not built yet ({folder()}).",
        hint=f"Build it once, in a few minutes: {command}",
    )


def check_name(name: str) -> None:
    """InputError where a kernel of one's own can't be called so: a number is Debian's."""
    if re.fullmatch(r"[A-Za-z][\w.-]{0,63}", name) is None or name == NEWEST:
        raise InputError(
            f"{name!r}: this name is not allowed for a kernel of your own.",
            hint="Begin with a letter; letters, digits, '.', '_' and '-' may follow.",
        )


def require_machine() -> None:
    """HostError where guests can't run on this machine at all."""
    if platform.system() != "Linux" or platform.machine() != MACHINE:
        raise HostError(
            f"virtual time needs Linux on {MACHINE}, the only platform of User Mode Linux; this is "
            f"{platform.system()} on {platform.machine()}.",
            hint='Measure in real time: clock = "real".',
        )


def numbers(version: str) -> tuple[int, ...]:
    """A version's numbers, by which versions are ordered; none where it is a name."""
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()
