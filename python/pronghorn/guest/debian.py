"""A kernel's source from Debian's archive, with the tools for building it that this host lacks."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.errors import HostError
from pronghorn.guest.kernels import MEND, NEWEST, STABLE
from pronghorn.servers import archive_site, said

SUITES: Mapping[str, str] = {STABLE: "trixie", NEWEST: "sid"}
"""The versions that Debian has the source of, with the suite: that of Debian 13, and the newest."""

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
    """Debian's source of a version, within `work`, and an `environment` in which the tools are found that
    this host lacks; HostError where they can't be had."""
    apt = _Apt(work / "apt", SUITES[version])
    tell(f"asking Debian's archive ({apt.suite})")
    apt.update()
    if version == NEWEST:
        version = apt.newest()
    package = f"linux-source-{version}"
    tell(f"fetching {package}, some 160 MB")
    debs = apt.download([f"{package}/{apt.suite}"])
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


class _Apt:
    """Debian's archive, asked by the host's apt with folders of its own."""

    def __init__(self, folder: Path, suite: str) -> None:
        self.suite = suite
        self.own_suite = codename()
        self._folder = folder
        for each in ("state/lists/partial", "cache/archives/partial", "debs"):
            (folder / each).mkdir(parents=True)
        site = archive_site()
        lines = [
            f"deb [signed-by={_KEYRING}] {site} {name} main"
            for name in dict.fromkeys((suite, self.own_suite or suite))
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

    def newest(self) -> str:
        """The newest version of Linux whose source there is."""
        asked = ["search", "--names-only", r"^linux-source-[0-9.]+$"]
        told = said(["apt-cache", *self._options, *asked], hint=_MEND)
        versions: list[str] = re.findall(r"^linux-source-([0-9]+\.[0-9]+) ", told, flags=re.MULTILINE)
        if not versions:
            raise HostError(
                f"Debian's archive ({self.suite}) has no linux-source package.",
                hint=f"Build a version by its name: {MEND} {STABLE}",
            )
        return max(versions, key=lambda version: tuple(int(part) for part in version.split(".")))

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
