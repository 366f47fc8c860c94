"""Building a guest's kernel: Debian's source, a configuration of ours, the host's compiler. Nothing is
installed, and nothing needs root; a kernel is put in its place whole or not at all."""

import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from pronghorn.errors import HostError, InputError, PronghornError
from pronghorn.guest import guest, kernels
from pronghorn.guest.kernels import NEWEST, STABLE, Kernel
from pronghorn.servers import archive_site

SUITES: Mapping[str, str] = {STABLE: "trixie", NEWEST: "sid"}
"""The versions that Debian has the source of, with the suite: that of Debian 13, and the newest."""

TICKS_HZ = 250
"""How often a guest's kernel looks at its timers in a second: as often as Debian's own; User Mode Linux ships
with 100."""

_HOST_NEEDS = ("gcc", "make", "tar", "xz", "apt-get", "dpkg-deb")
_UNPACKED = ("flex", "bison", "m4", "bc")
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_PATIENCE_S = 3600.0
_SAYS_WITHIN_S = 20.0
_SAID_LINES = 12

_BUILDING = ".building-"

_NOT_NEEDED = (
    "*/Documentation/*/*",
    "*/arch/*/boot/dts/*.dts*",
    "*/drivers/gpu/*.[ch]",
    "*/drivers/infiniband/*.[ch]",
    "*/drivers/media/*.[ch]",
    "*/drivers/net/ethernet/*.[ch]",
    "*/drivers/net/wireless/*.[ch]",
    "*/drivers/staging/*.[ch]",
    "*/tools/testing/*",
)
"""What of a kernel's source is left packed: a third of it."""

Tell = Callable[[str], None]


class Source(NamedTuple):
    """A kernel's source: its version, Debian's version of the package or None, and the unpacked tree."""

    version: str
    package: str | None
    tree: Path


def build(version: str = NEWEST, *, source: Path | None = None, tell: Tell = lambda _: None) -> Kernel:
    """Builds the kernel `version` from Debian's source, or from `source`, a kernel's tree packed as
    linux-*.tar.xz; `tell` is told what goes on. HostError where this host can't, InputError for a version
    that nobody has."""
    kernels.require_machine()
    if source is None and version not in SUITES:
        raise InputError(
            f"Debian has no source of Linux {version} that is known to work.",
            hint=f"Known are {' and '.join(SUITES)}; any other: --source linux-{version}.tar.xz",
        )
    _require_tools(source)
    _sweep()
    try:
        kernels.folder().mkdir(parents=True, exist_ok=True)
        with _work() as work:
            return _build(version, source, work, tell)
    except subprocess.TimeoutExpired as error:
        raise HostError(f"{error.cmd[0]} did not end within {error.timeout:.0f} s.") from error
    except OSError as error:
        raise HostError(
            f"{kernels.folder()}: no kernel can be built there: {error.strerror or error}.",
            hint=f"Name a folder of your own by {kernels.OVERRIDE}.",
        ) from error


@contextmanager
def _work() -> Iterator[Path]:
    """A folder for building, held by flock(2)."""
    with tempfile.TemporaryDirectory(dir=kernels.folder(), prefix=_BUILDING) as work:
        lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(work)
        finally:
            os.close(lock)


def _sweep() -> None:
    """Removes what builds that were killed have left."""
    for path in kernels.folder().glob(f"{_BUILDING}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)


def adopt(program: Path, name: str) -> Kernel:
    """Keeps a kernel of one's own as `name`; InputError where `program` is no User Mode Linux with a virtual
    clock."""
    kernels.require_machine()
    kernels.check_name(name)
    program = program.resolve()
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise InputError(f"{program}: no program is there.", hint="Name the file 'linux' of a built kernel.")
    if "time-travel" not in _said(program, "--help"):
        raise InputError(
            f"{program}: is no User Mode Linux with a virtual clock.",
            hint="Build it with ARCH=um and CONFIG_UML_TIME_TRAVEL_SUPPORT; "
            f"{_resource('kernel.config')} has the options.",
        )
    kernels.folder().mkdir(parents=True, exist_ok=True)
    with _work() as work:
        made = work / "kernel"
        made.mkdir()
        shutil.copy2(program, made / kernels.PROGRAM)
        if shutil.which("gcc") is not None:
            _random(made)
        _record(made, _said(program, "--version").strip() or "unknown", {"program": str(program)})
        return _put(made, name)


def _said(program: Path, option: str) -> str:
    """What a program says of itself; nothing where it can't be run or goes on and on."""
    try:
        done = subprocess.run(
            [program, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SAYS_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


def _build(version: str, source: Path | None, work: Path, tell: Tell) -> Kernel:
    began = datetime.datetime.now(datetime.UTC)
    # Nothing else of ours decides what is built. The kernel's version names no date, user or host, for its
    # random numbers hang on it.
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ} | {
        "LC_ALL": "C",
        "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 2026",
        "KBUILD_BUILD_USER": "pronghorn",
        "KBUILD_BUILD_HOST": "guest",
        "KBUILD_BUILD_VERSION": "1",
    }
    if source is None:
        found, environment = _debian(version, work, environment, tell)
    else:
        tell(f"unpacking {source}")
        found = Source(version, None, _unpacked(source, work))
    release_file = found.tree / "include/config/kernel.release"
    with _log(work) as log:
        tell(f"configuring Linux {found.version}")
        _configure(found.tree, environment, log)
        tell(f"compiling Linux {found.version}, some three minutes on two cores")
        jobs = len(os.sched_getaffinity(0))
        _make(found.tree, [f"-j{jobs}", "linux"], environment, log)
    made = work / "kernel"
    made.mkdir()
    shutil.copy2(found.tree / "linux", made / kernels.PROGRAM)
    shutil.copy2(found.tree / ".config", made / "kernel.config")
    _random(made)
    configuration = _resource("kernel.config").read_bytes()
    took_s = (datetime.datetime.now(datetime.UTC) - began).total_seconds()
    notes = {
        "package": found.package,
        "configuration": hashlib.sha256(configuration).hexdigest(),
        "compiler": _first_line(["gcc", "--version"]),
        "built": began.date().isoformat(),
        "took_s": round(took_s),
    }
    _record(made, release_file.read_text().strip(), notes)
    return _put(made, found.version)


def _debian(
    version: str, work: Path, environment: dict[str, str], tell: Tell
) -> tuple[Source, dict[str, str]]:
    """Debian's source of a version, and an environment in which the tools are found that this host lacks."""
    apt = _Apt(work / "apt", SUITES[version])
    tell(f"asking Debian's archive ({apt.suite})")
    apt.update()
    if version == NEWEST:
        version = apt.newest()
    package = f"linux-source-{version}"
    tell(f"fetching {package}, some 160 MB")
    debs = apt.download([f"{package}/{apt.suite}"])
    missing = [tool for tool in _UNPACKED if shutil.which(tool) is None]
    tools = work / "tools"
    if missing:
        for deb in apt.download([f"{tool}/{apt.own_suite}" for tool in missing]):
            _run(["dpkg-deb", "-x", str(deb), str(tools)])
        environment = environment | {
            "PATH": f"{tools}/usr/bin:{environment.get('PATH', os.defpath)}",
            "BISON_PKGDATADIR": f"{tools}/usr/share/bison",
            "M4": shutil.which("m4") or f"{tools}/usr/bin/m4",
        }
        if shutil.which("bison") is not None:
            del environment["BISON_PKGDATADIR"]
    (deb,) = debs
    unpacked = work / "package"
    _run(["dpkg-deb", "-x", str(deb), str(unpacked)])
    deb_version = _run(["dpkg-deb", "-f", str(deb), "Version"]).strip()
    tell(f"unpacking {package} {deb_version}")
    tree = _unpacked(unpacked / f"usr/src/{package}.tar.xz", work)
    return Source(version, f"{package} {deb_version}", tree), environment


class _Apt:
    """Debian's archive, asked by the host's apt with folders of its own."""

    def __init__(self, folder: Path, suite: str) -> None:
        self.suite = suite
        self.own_suite = _codename()
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
        _run(["apt-get", *self._options, "-qq", "update"])

    def newest(self) -> str:
        """The newest version of Linux whose source there is."""
        told = _run(["apt-cache", *self._options, "search", "--names-only", r"^linux-source-[0-9.]+$"])
        versions: list[str] = re.findall(r"^linux-source-([0-9]+\.[0-9]+) ", told, flags=re.MULTILINE)
        if not versions:
            raise HostError(
                f"Debian's archive ({self.suite}) has no linux-source package.",
                hint="Build a version by its name: pronghorn guest 6.12",
            )
        return max(versions, key=lambda version: tuple(int(part) for part in version.split(".")))

    def download(self, packages: Sequence[str]) -> list[Path]:
        """Fetches packages; the new files."""
        folder = Path(tempfile.mkdtemp(dir=self._folder / "debs"))
        _run(["apt-get", *self._options, "-qq", "download", *packages], directory=folder)
        return sorted(folder.glob("*.deb"))


def _configure(tree: Path, environment: Mapping[str, str], log: Path) -> None:
    """Configures a tree; HostError where it doesn't know an option that guests need."""
    kconfig = tree / "arch/um/Kconfig"
    text = kconfig.read_text()
    set_hz = re.sub(r"(config HZ\n\s+int\n\s+default) \d+", rf"\1 {TICKS_HZ}", text)
    kconfig.write_text(set_hz)
    wanted = _resource("kernel.config")
    _make(tree, ["allnoconfig"], {**environment, "KCONFIG_ALLCONFIG": str(wanted)}, log)
    lines = set((tree / ".config").read_text().splitlines())
    needed = [line for line in wanted.read_text().splitlines() if line.endswith("=y")]
    missing = [line for line in (*needed, f"CONFIG_HZ={TICKS_HZ}") if line not in lines]
    if missing:
        names = ", ".join(line.removesuffix("=y") for line in missing)
        raise HostError(
            f"this kernel's source doesn't have what guests need: {names}.",
            hint="Build a version that is known to work: pronghorn guest 6.12",
        )


def _make(tree: Path, targets: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    with log.open("ab") as output:
        done = subprocess.run(
            ["make", "ARCH=um", *targets],
            cwd=tree,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=_PATIENCE_S,
            check=False,
        )
    if done.returncode != 0:
        last = "\n".join(log.read_text(errors="replace").strip().splitlines()[-_SAID_LINES:])
        command = f"make {' '.join(targets)}"
        raise HostError(
            f"the kernel could not be built ({command}, exit status {done.returncode}):\n{last}",
            hint="As root: apt-get install gcc make libc6-dev flex bison bc",
        )


@contextmanager
def _log(work: Path) -> Iterator[Path]:
    log = work / "build.log"
    log.touch()
    yield log


def _random(made: Path) -> None:
    """Compiles the library by which a guest's random numbers follow from a seed."""
    source = _resource("random.c")
    _run(["gcc", "-O2", "-shared", "-fPIC", "-o", str(made / kernels.RANDOM), str(source)])


def _record(made: Path, release: str, notes: Mapping[str, object]) -> None:
    text = json.dumps({"release": release, **notes}, indent=2)
    (made / kernels.RECORD).write_text(text + "\n", encoding="utf-8")


def _put(made: Path, version: str) -> Kernel:
    """Puts a kernel in the place of one that was there."""
    target = kernels.place(version)
    if not _settles(made):
        (made / kernels.RANDOM).unlink(missing_ok=True)
    if target.exists():
        target.rename(made.with_name("old"))
    made.rename(target)
    kernel = kernels.found(version)
    if kernel is None:
        raise HostError(f"{target}: the kernel that was put there is gone.")
    return kernel


def _settles(made: Path) -> bool:
    """Whether a kernel's random numbers follow from a seed: one seed gives the same twice, another others."""
    if not (made / kernels.RANDOM).is_file():
        return False
    kernel = Kernel("new", "", made / kernels.PROGRAM, made / kernels.RANDOM)
    asked = ["cat", "/proc/sys/kernel/random/uuid"]
    try:
        first, again, other = (guest.output(kernel, seed, asked) for seed in (1, 1, 2))
    except PronghornError:
        return False
    return first == again != other and len(first) > 0


def _unpacked(archive: Path, work: Path) -> Path:
    """The tree in an archive."""
    if not archive.is_file():
        raise InputError(
            f"{archive}: no file is there.", hint="Name a packed tree, such as linux-6.12.tar.xz."
        )
    folder = work / "source"
    folder.mkdir()
    excluded = [f"--exclude={pattern}" for pattern in _NOT_NEEDED]
    _run(["tar", "-x", "-f", str(archive), "-C", str(folder), *excluded])
    trees = [path for path in folder.iterdir() if (path / "arch/um").is_dir()]
    if len(trees) != 1:
        raise InputError(f"{archive}: holds no kernel's source (no folder with arch/um).")
    return trees[0]


def _require_tools(source: Path | None) -> None:
    needs = [tool for tool in _HOST_NEEDS if source is None or tool not in ("apt-get", "dpkg-deb")]
    if source is not None or _codename() is None:
        # Debian's own would want this Debian's libraries.
        needs += _UNPACKED
    missing = [tool for tool in needs if shutil.which(tool) is None]
    if missing:
        raise HostError(
            f"a guest's kernel is built with {', '.join(missing)}, which this host lacks.",
            hint="As root: apt-get install gcc make libc6-dev xz-utils flex bison bc; where there is no apt, "
            "their like, and --source linux-6.12.tar.xz from kernel.org",
        )


def _codename() -> str | None:
    """The suite of this host, where it is a Debian."""
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return None
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    return told.get("VERSION_CODENAME", "").strip('"') or None if told.get("ID", "") == "debian" else None


def _resource(name: str) -> Path:
    return Path(str(resources.files("pronghorn.data") / "guest" / name))


def _first_line(argv: Sequence[str]) -> str:
    return _run(argv).partition("\n")[0]


def _run(argv: Sequence[str], *, directory: Path | None = None) -> str:
    """The stdout of a command that ends well; HostError with its last words else."""
    done = subprocess.run(
        argv,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PATIENCE_S,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-_SAID_LINES:])
        raise HostError(
            f"{argv[0]} failed (exit status {done.returncode}):\n{last}",
            hint="See that Debian's archive can be reached (package debian-archive-keyring has its keys).",
        )
    return done.stdout
