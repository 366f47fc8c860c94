"""What a program leaves behind: processes that descend from it, network namespaces, TUN devices."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .programme import MARK

PROC = Path("/proc")


class Held(NamedTuple):
    """What stands on this host and must not grow: TUN devices, and namespaces held by a mount."""

    devices: frozenset[str]
    mounted: frozenset[str]


def held() -> Held:
    """What stands there now."""
    devices = frozenset(device.parent.name for device in Path("/sys/class/net").glob("*/tun_flags"))
    mounts = (PROC / "self/mountinfo").read_text(encoding="utf-8").splitlines()
    return Held(devices, frozenset(line.split()[3] for line in mounts if " - nsfs " in line))


def descendants(mark: str) -> dict[int, str]:
    """The living processes that bear the mark in their environment, each with its command line."""
    wanted = f"{MARK}={mark}".encode()
    found = {}
    for process in PROC.glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            # It has ended meanwhile.
            continue
    return found


def network_namespaces(processes: Iterable[int]) -> set[str]:
    """The network namespaces that these processes use: those of their threads, and those that they hold open.

    An engine's benches are in namespaces that only its threads enter."""
    found = set()
    for pid in processes:
        process = PROC / str(pid)
        for link in (*_inside(process / "task"), *_inside(process / "fd")):
            try:
                target = str((link / "ns/net" if link.parent.name == "task" else link).readlink())
            except OSError:
                continue
            if target.startswith("net:["):
                found.add(target)
    return found


def still_used(namespaces: set[str]) -> set[str]:
    """Those of these network namespaces that any process of this host uses."""
    return namespaces & network_namespaces(int(process.name) for process in PROC.glob("[0-9]*"))


def own_network_namespace() -> str:
    """The network namespace of this test."""
    return str((PROC / "self/ns/net").readlink())


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
