"""What a program leaves behind: processes that descend from it, network namespaces, TUN devices."""

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


def network_namespaces(processes: dict[int, str]) -> set[str]:
    """The network namespaces in which these processes are."""
    found = set()
    for pid in processes:
        try:
            found.add(str((PROC / str(pid) / "ns/net").readlink()))
        except OSError:
            continue
    return found


def still_used(namespaces: set[str]) -> set[str]:
    """Those of these network namespaces in which a process is, or which one holds open."""
    used = set()
    for process in PROC.glob("[0-9]*"):
        for link in (process / "ns/net", *_descriptors(process)):
            try:
                used.add(str(link.readlink()))
            except OSError:
                continue
    return namespaces & used


def own_network_namespace() -> str:
    """The network namespace of this test."""
    return str((PROC / "self/ns/net").readlink())


def _descriptors(process: Path) -> list[Path]:
    try:
        return list((process / "fd").iterdir())
    except OSError:
        return []
