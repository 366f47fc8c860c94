"""The root of servers: programs of a newer Debian than this host's, unpacked into a folder of the user's own.

Nothing in it is installed, and nothing of it needs root: its programs run in place through their own loader
(`pronghorn.origins.programs`). It is made whole or not at all, and stays until it is removed."""

import contextlib
import datetime
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pronghorn import reading
from pronghorn.environment import cached
from pronghorn.errors import HostError
from pronghorn.model import foreign

SUITE = "trixie"
"""Debian 13: the first release whose nginx has HTTP/3 and whose HAProxy has QUIC."""

PACKAGES = ("haproxy", "nginx")
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
_PATIENCE_S = 900.0
_SAID_LINES = 8


def root() -> Path:
    """Where the root stands or would: under PRONGHORN_SERVERS, else in the user's cache."""
    return cached(OVERRIDE, "servers") / f"{SUITE}-{platform.machine()}"


def made() -> bool:
    """Whether the root stands, with all that this version wants in it."""
    try:
        record = foreign.json_table(reading.content(root() / RECORD, reading.MOST_JSON, "a record"))
        return set(PACKAGES) <= set(record["packages"])
    except (reading.Unreadable, ValueError, KeyError, TypeError):
        return False


def make() -> Path:
    """The root, made where it does not stand yet, by mmdebstrap from Debian's archive: 60 MB in some seconds.

    HostError where it can't be: no mmdebstrap, no network, or an ordinary user whom the kernel denies
    namespaces."""
    target = root()
    if made():
        return target
    if shutil.which(_TOOL) is None:
        raise HostError(f"{_TOOL} is missing on this host; it unpacks Debian's servers.", hint=_TOOL_MEND)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".making-") as work:
            _put(_unpacked(Path(work)), target)
    except OSError as error:
        raise HostError(
            f"{target.parent}: the servers can't be unpacked there: {error.strerror or error}.",
            hint=f"Name another folder in {OVERRIDE}.",
        ) from error
    return target


def _unpacked(work: Path) -> Path:
    """A root within `work`. It comes by way of an archive, so that an ordinary user owns every file and no
    device is made."""
    archive, folder = work / "root.tar", work / "root"
    mode = "root" if os.geteuid() == 0 else "unshare"
    said(
        [
            _TOOL,
            f"--mode={mode}",
            "--variant=extract",
            f"--include={','.join(PACKAGES)}",
            "--format=tar",
            SUITE,
            str(archive),
            *_mirror(),
        ],
        hint=_UNPACKS,
    )
    folder.mkdir()
    said(
        ["tar", "-x", "-f", str(archive), "-C", str(folder), "--no-same-owner", "./etc", "./usr"],
        hint=_UNPACKS,
    )
    record = {
        "suite": SUITE,
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


def _mirror() -> Sequence[str]:
    """The sources of packages where this host is a Debian with a mirror of its own; else mmdebstrap's, which
    are Debian's main archive and its security updates."""
    sites = _sites()
    main = sites.get("Debian|Debian|Packages", _ARCHIVE)
    if main == _ARCHIVE:
        return ()
    security = sites.get("Debian|Debian-Security|Packages", _SECURITY)
    return (f"deb {main} {SUITE} main", f"deb {security} {SUITE}-security main")


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
    if target.exists() and not made():
        target.rename(made_root.with_name("old"))
    try:
        made_root.rename(target)
    except OSError:
        if not made():
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


def forget() -> None:
    """Removes the root, so that the next one is made of what the archive holds then."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(root())
