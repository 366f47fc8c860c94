"""Roots of servers: programs of other Debian suites than this host's, each suite unpacked into a folder of
the user's own.

Nothing in them is installed, and nothing of them needs root: their programs run in place through their own
loader (`pronghorn.origins.programs`). A root is made whole or not at all, and stays until it is removed."""

import contextlib
import datetime
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pronghorn import reading
from pronghorn.environment import cached
from pronghorn.errors import HostError
from pronghorn.model import foreign, origin_name


class Suite(NamedTuple):
    """A suite of Debian: what people call it, and whether its versions move on."""

    title: str
    moves: bool = False


SUITES: Mapping[str, Suite] = MappingProxyType(
    {"trixie": Suite("Debian 13"), "forky": Suite("Debian testing", moves=True)}
)
"""Debian 13 is the first release whose nginx has HTTP/3 and whose HAProxy has QUIC. Unstable would add
nothing: it has the same versions as testing."""

VERSIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "haproxy": MappingProxyType({"3.0": "trixie", "3.2": "forky"}),
        "nginx": MappingProxyType({"1.26": "trixie", "1.30": "forky"}),
    }
)
"""Of each server the versions that can be fetched, each with the suite that has it."""

PACKAGES = tuple(VERSIONS)
OVERRIDE = "PRONGHORN_SERVERS"
RECORD = "pronghorn-servers.json"
"""The record of what the root was made from, within it."""

MEND = "pronghorn servers"
_TOOL = "mmdebstrap"
_TOOL_MEND = "as root: apt-get install mmdebstrap uidmap debian-archive-keyring"
_ARCHIVE = "http://deb.debian.org/debian"
_SECURITY = "http://security.debian.org/debian-security"
_UNPACKS = (
    "Check that Debian's archive can be reached. An ordinary user also needs user namespaces and "
    f"newuidmap (package uidmap). Or do it once as root, with the folder in {OVERRIDE}."
)
_OF_ANY_DAY = ('--aptopt=Acquire::Check-Valid-Until "false"',)
"""Moving suites expire within a week, and mirrors fall behind. An old day's servers are as good: which ones
they are is recorded, and that they are Debian's is what the signature says."""

_PATIENCE_S = 900.0
_SAID_LINES = 8


def branch_of(server: str, version: str) -> str | None:
    """The version among those that can be fetched which a more exact `version` may be one of; None where none
    is."""
    asked = origin_name.numbers(version)
    for known in VERSIONS.get(server, {}):
        least = origin_name.numbers(known)
        if asked[: len(least)] == least:
            return known
    return None


def root(suite: str) -> Path:
    """Where a suite's root stands or would: under PRONGHORN_SERVERS, else in the user's cache."""
    return cached(OVERRIDE, "servers") / f"{suite}-{platform.machine()}"


def made(suite: str) -> bool:
    """Whether a suite's root stands, with all that this version wants in it."""
    return _whole(root(suite))


def make(suite: str) -> Path:
    """A suite's root, made where it does not stand yet, by mmdebstrap from Debian's archive: 60 MB in some
    seconds.

    HostError where it can't be: no mmdebstrap, no network, or an ordinary user whom the kernel denies
    namespaces."""
    target = root(suite)
    if made(suite):
        return target
    if shutil.which(_TOOL) is None:
        raise HostError(f"{_TOOL} is missing on this host; it unpacks Debian's servers.", hint=_TOOL_MEND)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".making-") as work:
            _put(_unpacked(suite, Path(work)), target)
    except OSError as error:
        raise HostError(
            f"{target.parent}: the servers can't be unpacked there: {error.strerror or error}.",
            hint=f"Name another folder in {OVERRIDE}.",
        ) from error
    return target


def _whole(folder: Path) -> bool:
    try:
        record = foreign.json_table(reading.content(folder / RECORD, reading.MOST_JSON, "a record"))
        return set(PACKAGES) <= set(record["packages"])
    except (reading.Unreadable, ValueError, KeyError, TypeError):
        return False


def _unpacked(suite: str, work: Path) -> Path:
    """A suite's root within `work`. It comes by way of an archive, so that an ordinary user owns every file
    and no device is made."""
    archive, folder = work / "root.tar", work / "root"
    mode = "root" if os.geteuid() == 0 else "unshare"
    said(
        [
            _TOOL,
            f"--mode={mode}",
            "--variant=extract",
            f"--include={','.join(PACKAGES)}",
            "--format=tar",
            *(_OF_ANY_DAY if SUITES[suite].moves else ()),
            suite,
            str(archive),
            *_mirror(suite),
        ],
        hint=_UNPACKS,
    )
    folder.mkdir()
    said(
        ["tar", "-x", "-f", str(archive), "-C", str(folder), "--no-same-owner", "./etc", "./usr"],
        hint=_UNPACKS,
    )
    record = {
        "suite": suite,
        "architecture": platform.machine(),
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "packages": dict(_packages(folder)),
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return folder


def _packages(folder: Path) -> Iterator[tuple[str, str]]:
    """Each package that was asked for with its version, by the first line of Debian's changelog."""
    for name in PACKAGES:
        changelog = folder / "usr/share/doc" / name / "changelog.Debian.gz"
        first = said(["gzip", "-dc", str(changelog)], hint=_UNPACKS).partition("\n")[0]
        yield name, first.partition("(")[2].partition(")")[0]


def archive_site() -> str:
    """Debian's archive, or this host's own mirror of it."""
    return _sites().get("Debian|Debian|Packages", _ARCHIVE)


def _mirror(suite: str) -> Sequence[str]:
    """The sources of packages where this host is a Debian with a mirror of its own; else mmdebstrap's, which
    are Debian's main archive and its security updates."""
    sites = _sites()
    main = sites.get("Debian|Debian|Packages", _ARCHIVE)
    if main == _ARCHIVE:
        return ()
    security = sites.get("Debian|Debian-Security|Packages", _SECURITY)
    return (f"deb {main} {suite} main", f"deb {security} {suite}-security main")


def _sites() -> dict[str, str]:
    """The archives that this host's apt asks, by origin, label and kind; empty where there is no apt."""
    if shutil.which("apt-get") is None:
        return {}
    form = "$(SITE)|$(ORIGIN)|$(LABEL)|$(CREATED_BY)"
    told = subprocess.run(
        ["apt-get", "indextargets", "--format", form], capture_output=True, text=True, check=False
    )
    sites: dict[str, str] = {}
    for line in told.stdout.splitlines():
        site, _, rest = line.partition("|")
        if site.startswith(("http://", "https://")):
            sites.setdefault(rest, site)
    return sites


def _put(made_root: Path, target: Path) -> None:
    """Puts a new root in the place of what is no whole one; one that another process put there meanwhile
    stays."""
    if target.exists() and not _whole(target):
        target.rename(made_root.with_name("old"))
    try:
        made_root.rename(target)
    except OSError:
        if not _whole(target):
            raise


def said(argv: Sequence[str], *, hint: str, directory: Path | None = None) -> str:
    """The stdout of a command that ends well, run in `directory`; else HostError with its last words and
    `hint`."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            argv,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError(f"{argv[0]} did not end within {_PATIENCE_S:.0f} s.", hint=hint) from error
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-_SAID_LINES:])
        raise HostError(f"{argv[0]} failed (exit status {done.returncode}):\n{last}", hint=hint)
    return done.stdout


def forget(suite: str) -> None:
    """Removes a suite's root, so that the next one is made of what the archive holds then."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(root(suite))
