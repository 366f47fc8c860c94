"""The guests' kernels: where they are kept, which are there."""

import os
import platform
from pathlib import Path
from typing import NamedTuple

from pronghorn import reading
from pronghorn.errors import HostError, unknown
from pronghorn.model import foreign

OVERRIDE = "PRONGHORN_GUEST"
"""The variable that names another folder for them than the user's cache."""

RECORD = "kernel.json"
PROGRAM = "linux"
RANDOM = "random.so"

MACHINE = "x86_64"
"""What User Mode Linux with a virtual clock runs on."""

SUITES = {"7.2": "sid", "6.12": "bookworm-security"}
"""The versions that can be built, the one that is used unless another is asked for first, with the suite of
Debian that has the source."""

MEND = "pronghorn guest"


class Kernel(NamedTuple):
    """A kernel: `version` is what an experiment calls it, `release` what it says of itself. `random` is a library
    by which its random numbers follow from a seed; None: there is none."""

    version: str
    release: str
    program: Path
    random: Path | None


def folder() -> Path:
    """Where kernels are kept: PRONGHORN_GUEST, else in the user's cache."""
    override = os.environ.get(OVERRIDE)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (Path(override) if override else cache / "pronghorn" / "guest").absolute()


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
    return Kernel(version, release, program, random if random.is_file() else None)


def built() -> list[Kernel]:
    """The kernels that are built, the default's version first."""
    return [kernel for version in SUITES if (kernel := found(version)) is not None]


def need(version: str | None = None) -> Kernel:
    """The kernel of that version, or the first that is built; HostError where there is none."""
    require_machine()
    if version is not None and version not in SUITES:
        raise unknown("kernel", version, SUITES)
    kernel = found(version) if version is not None else next(iter(built()), None)
    if kernel is None:
        what = f"the kernel {version} of guests" if version else "a kernel for guests"
        command = f"{MEND} {version}" if version else MEND
        raise HostError(
            f"virtual time needs {what}, which isn't built yet ({folder()}).",
            hint=f"Build it, once, in some minutes: {command}",
        )
    return kernel


def require_machine() -> None:
    """HostError where guests can't run on this machine at all."""
    if platform.system() != "Linux" or platform.machine() != MACHINE:
        raise HostError(
            f"virtual time needs Linux on {MACHINE}: User Mode Linux runs nowhere else; this is "
            f"{platform.system()} on {platform.machine()}.",
            hint='Measure in real time: clock = "real".',
        )
