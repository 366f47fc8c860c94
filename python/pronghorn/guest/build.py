"""Building a guest's kernel: Debian's source, a configuration of ours, the host's compiler. Nothing is
installed, and nothing needs root; a kernel is put in its place whole or not at all."""

import datetime
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from pronghorn.errors import HostError, InputError, PronghornError
from pronghorn.guest import debian, kernels, program
from pronghorn.guest.debian import Tell
from pronghorn.guest.kernels import MEND, NEWEST, STABLE, Kernel
from pronghorn.host import temporary_folders
from pronghorn.servers import said

TICKS_HZ = 250
"""How often a guest's kernel looks at its timers in a second: as often as Debian's own; User Mode Linux ships
with 100."""

_HOST_NEEDS = ("gcc", "make", "tar", "xz", "apt-get", "dpkg-deb")
_PATIENCE_S = 3600.0
_SAYS_WITHIN_S = 20.0
_SAID_LINES = 12
_MEND = "As root: apt-get install gcc make libc6-dev xz-utils flex bison bc"

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
"""The parts of a kernel's source that stay packed: a third of it."""


def build(version: str = NEWEST, *, source: Path | None = None, tell: Tell = lambda _: None) -> Kernel:
    """Builds the kernel `version` from Debian's source, or from `source`, a kernel's tree packed as
    linux-*.tar.xz; `tell` is told what goes on. HostError where this host can't, InputError for a version
    that nobody has."""
    kernels.require_machine()
    if source is None and version != NEWEST:
        if re.fullmatch(r"\d+\.\d+", version) is None:
            raise InputError(
                f"{version!r} is no version of Linux such as {STABLE}.",
                hint=f"Debian's newest: {MEND}. A kernel of your own: {MEND} {version} --kernel FILE",
            )
        if kernels.numbers(version) < kernels.numbers(STABLE):
            raise debian.has_none(version, f"{STABLE} is the oldest")
    _require_tools(source)
    try:
        kernels.folder().mkdir(parents=True, exist_ok=True)
        temporary_folders.sweep(kernels.folder())
        with temporary_folders.held(kernels.folder()) as work:
            return _build(version, source, work, tell)
    except subprocess.TimeoutExpired as error:
        raise HostError(f"{error.cmd[0]} did not end within {error.timeout:.0f} s.") from error
    except OSError as error:
        raise HostError(
            f"{kernels.folder()}: no kernel can be built there: {error.strerror or error}.",
            hint=f"Name another folder in {kernels.OVERRIDE}.",
        ) from error


def adopt(file: Path, name: str) -> Kernel:
    """Keeps a kernel of one's own as `name`; InputError where `file` is no User Mode Linux with a virtual
    clock."""
    kernels.require_machine()
    kernels.check_name(name)
    file = file.resolve()
    if not (file.is_file() and os.access(file, os.X_OK)):
        raise InputError(f"{file}: no program is there.", hint="{0}: there is no such program.")
    if "time-travel" not in _told(file, "--help"):
        raise InputError(
            f"{file}: this is not User Mode Linux with a virtual clock.",
            hint="Build it with ARCH=um and CONFIG_UML_TIME_TRAVEL_SUPPORT. "
            f"{_resource('kernel.config')} has the options.",
        )
    kernels.folder().mkdir(parents=True, exist_ok=True)
    with temporary_folders.held(kernels.folder()) as work:
        made = work / "kernel"
        made.mkdir()
        shutil.copy2(file, made / kernels.PROGRAM)
        if shutil.which("gcc") is not None:
            _random(made)
        _record(made, _told(file, "--version").strip() or "unknown", {"program": str(file)})
        return _put(made, name)


def _told(file: Path, option: str) -> str:
    """What a program says of itself; nothing where it can't be run or goes on and on."""
    try:
        done = subprocess.run(
            [file, option],
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
    # Nothing else of ours decides what is built. The kernel mixes its version into its random numbers, so
    # that names no date, user or host.
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ} | {
        "LC_ALL": "C",
        "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 2026",
        "KBUILD_BUILD_USER": "pronghorn",
        "KBUILD_BUILD_HOST": "guest",
        "KBUILD_BUILD_VERSION": "1",
    }
    package = None
    if source is None:
        (version, package, source), environment = debian.fetch(version, work, environment, tell)
    tell(f"unpacking {source.name}")
    tree = _unpacked(source, work)
    log = work / "build.log"
    tell(f"configuring Linux {version}")
    configuration = kernels.configuration()
    _configure(tree, environment, log)
    tell(f"compiling Linux {version}, some three minutes on two cores")
    _make(tree, [f"-j{len(os.sched_getaffinity(0))}", "linux"], environment, log)
    made = work / "kernel"
    made.mkdir()
    shutil.copy2(tree / "linux", made / kernels.PROGRAM)
    shutil.copy2(tree / ".config", made / "kernel.config")
    _random(made)
    took_s = (datetime.datetime.now(datetime.UTC) - began).total_seconds()
    notes = {
        "package": package,
        kernels.CONFIGURATION: configuration,
        "compiler": said(["gcc", "--version"], hint=_MEND).partition("\n")[0],
        "built": began.date().isoformat(),
        "took_s": round(took_s),
    }
    _record(made, (tree / "include/config/kernel.release").read_text().strip(), notes)
    return _put(made, version)


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
            f"this kernel's source lacks what guests need: {names}.",
            hint=f"Build a version that is known to work: {MEND} {STABLE}",
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
            hint=_MEND,
        )


def _random(made: Path) -> None:
    """Compiles the library by which a guest's random numbers follow from a seed."""
    source = _resource("random.c")
    said(["gcc", "-O2", "-shared", "-fPIC", "-o", str(made / kernels.RANDOM), str(source)], hint=_MEND)


def _record(made: Path, release: str, notes: Mapping[str, object]) -> None:
    text = json.dumps({"release": release, **notes}, indent=2)
    (made / kernels.RECORD).write_text(text + "\n", encoding="utf-8")


def _put(made: Path, version: str) -> Kernel:
    """Puts a kernel where one of its version may stand already."""
    target = kernels.place(version)
    _require_start(made, version)
    if not _settles(made):
        (made / kernels.RANDOM).unlink(missing_ok=True)
    if target.exists():
        target.rename(made.with_name("old"))
    made.rename(target)
    kernel = kernels.found(version)
    if kernel is None:
        raise HostError(f"{target}: the kernel that was put there is gone.")
    return kernel


def _require_start(made: Path, version: str) -> None:
    """HostError where a kernel doesn't start on this machine."""
    if why := program.why_not(Kernel(version, "", made / kernels.PROGRAM, None)):
        raise HostError(
            f"Linux {version} doesn't start on this machine, so it isn't kept: {why}", hint=kernels.NEWER
        )


def _settles(made: Path) -> bool:
    """Whether a kernel's random numbers follow from a seed: one seed gives the same twice, another others."""
    if not (made / kernels.RANDOM).is_file():
        return False
    kernel = Kernel("new", "", made / kernels.PROGRAM, made / kernels.RANDOM)
    asked = ["cat", "/proc/sys/kernel/random/uuid"]
    try:
        first, again, other = (program.output(kernel, seed, asked) for seed in (1, 1, 2))
    except PronghornError:
        return False
    return first == again != other and len(first) > 0


def _unpacked(archive: Path, work: Path) -> Path:
    """The tree in an archive."""
    if not archive.is_file():
        raise InputError(
            f"{archive}: there is no such file.", hint="Name a packed tree, such as linux-6.12.tar.xz."
        )
    folder = work / "source"
    folder.mkdir()
    excluded = [f"--exclude={pattern}" for pattern in _NOT_NEEDED]
    said(
        ["tar", "-x", "-f", str(archive), "-C", str(folder), *excluded],
        hint="Name a complete packed tree, such as linux-6.12.tar.xz.",
    )
    trees = [path for path in folder.iterdir() if (path / "arch/um").is_dir()]
    if len(trees) != 1:
        raise InputError(f"{archive}: this is not a kernel's source (no folder with arch/um).")
    return trees[0]


def _require_tools(source: Path | None) -> None:
    needs = [tool for tool in _HOST_NEEDS if source is None or tool not in ("apt-get", "dpkg-deb")]
    if source is not None or debian.codename() is None:
        # Debian's own would want this Debian's libraries.
        needs += debian.TOOLS
    missing = [tool for tool in needs if shutil.which(tool) is None]
    if missing:
        raise HostError(
            f"building a guest's kernel takes {', '.join(missing)}, which this host lacks.",
            hint=f"{_MEND}; without apt, install the same programs another way and add --source "
            "linux-6.12.tar.xz from kernel.org.",
        )


def _resource(name: str) -> Path:
    return Path(str(resources.files("pronghorn.data") / "guest" / name))
