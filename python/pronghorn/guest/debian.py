"""A kernel's source from Debian's archive, with the tools for building it that this host lacks."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.errors import HostError, InputError
from pronghorn.guest.kernels import MEND, NEWEST, STABLE, numbers
from pronghorn.servers import archive_site, said

_NEWEST_SUITE = "sid"
_SUITES = ("trixie", "trixie-backports", _NEWEST_SUITE)
"""Where a version is looked for that is asked for by its number: Debian 13, its backports, and the newest."""

TOOLS = ("flex", "bison", "m4", "bc")
"""What a kernel is built with and few hosts have."""

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_MEND = "Check that Debian's archive can be reached (package debian-archive-keyring has its keys)."

Tell = Callable[[str], None]


class Source(NamedTuple):
    """A kernel's source: its version, Debian's version of the package, and the packed tree."""

    version: str
    package: str
    archive: Path


def fetch(version: str, work: Path, environment: dict[str, str], tell: Tell) -> tuple[Source, dict[str, str]]:
    """Debian's source of a version, a number or the newest, within `work`, and an `environment` in which the
    tools are found that this host lacks; InputError where Debian has no such version, HostError where they
    can't be had."""
    apt = _Apt(work / "apt", (_NEWEST_SUITE,) if version == NEWEST else _SUITES)
    tell(f"asking Debian's archive ({', '.join(apt.suites)})")
    apt.update()
    versions = apt.versions()
    if version == NEWEST:
        version = versions[-1]
    elif version not in versions:
        raise has_none(version, f"it has {', '.join(versions)}")
    package = f"linux-source-{version}"
    tell(f"fetching {package}, some 160 MB")
    debs = apt.download([package])
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    tools = work / "tools"
    if missing:
        for deb in apt.download([f"{tool}/{apt.own_suite}" for tool in missing]):
            said(["dpkg-deb", "-x", str(deb), str(tools)], hint=_MEND)
        environment = environment | {
            "PATH": f"{tools}/usr/bin:{environment.get('PATH', os.defpath)}",
            "BISON_PKGDATADIR": f"{tools}/usr/share/bison",
            "M4": shutil.which("m4") or f"{tools}/usr/bin/m4",
        }
        if shutil.which("bison") is not None:
            del environment["BISON_PKGDATADIR"]
    (deb,) = debs
    unpacked = work / "package"
    said(["dpkg-deb", "-x", str(deb), str(unpacked)], hint=_MEND)
    deb_version = said(["dpkg-deb", "-f", str(deb), "Version"], hint=_MEND).strip()
    archive = unpacked / f"usr/src/{package}.tar.xz"
    return Source(version, f"{package} {deb_version}", archive), environment


def has_none(version: str, others: str) -> InputError:
    """That Debian has no source of a version; `others`: what it has, as a clause."""
    return InputError(
        f"Debian has no source of Linux {version} that is known to work; {others}.",
        hint=f"Any other version: {MEND} {version} --source linux-{version}.tar.xz",
    )


class _Apt:
    """Debian's archive, asked by the host's apt with folders of its own."""

    def __init__(self, folder: Path, suites: Sequence[str]) -> None:
        self.suites = suites
        self.own_suite = codename()
        self._folder = folder
        for each in ("state/lists/partial", "cache/archives/partial", "debs"):
            (folder / each).mkdir(parents=True)
        site = archive_site()
        lines = [
            f"deb [signed-by={_KEYRING}] {site} {name} main"
            for name in dict.fromkeys((*suites, *([self.own_suite] if self.own_suite else [])))
        ]
        (folder / "sources.list").write_text("\n".join(lines) + "\n")
        self._options = [
            f"-oDir::State={folder}/state",
            f"-oDir::Cache={folder}/cache",
            f"-oDir::Etc::sourcelist={folder}/sources.list",
            "-oDir::Etc::sourceparts=/dev/null",
            "-oDir::Etc::preferences=/dev/null",
            "-oDir::Etc::preferencesparts=/dev/null",
            "-oDir::State::status=/dev/null",
            "-oAPT::Sandbox::User=",
            "-oAcquire::Languages=none",
        ]

    def update(self) -> None:
        """Reads what the archive has."""
        said(["apt-get", *self._options, "-qq", "update"], hint=_MEND)

    def versions(self) -> list[str]:
        """The versions of Linux whose source there is, the newest last; those that are older than Debian 13's
        are known not to work."""
        asked = ["search", "--names-only", r"^linux-source-[0-9.]+$"]
        told = said(["apt-cache", *self._options, *asked], hint=_MEND)
        found: list[str] = re.findall(r"^linux-source-([0-9]+\.[0-9]+) ", told, flags=re.MULTILINE)
        versions = sorted((one for one in found if numbers(one) >= numbers(STABLE)), key=numbers)
        if not versions:
            raise HostError(
                f"Debian's archive ({', '.join(self.suites)}) has no linux-source package.",
                hint=f"Build a version by its name: {MEND} {STABLE}",
            )
        return versions

    def download(self, packages: Sequence[str]) -> list[Path]:
        """Fetches packages; the new files."""
        folder = Path(tempfile.mkdtemp(dir=self._folder / "debs"))
        said(["apt-get", *self._options, "-qq", "download", *packages], hint=_MEND, directory=folder)
        return sorted(folder.glob("*.deb"))


def codename() -> str | None:
    """The suite of this host, where it is a Debian."""
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return None
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    return told.get("VERSION_CODENAME", "").strip('"') or None if told.get("ID", "") == "debian" else None
