"""The kernel's side of a host: devices, settings, cores, memory and load."""

import os
from collections.abc import Callable
from pathlib import Path

from pronghorn.doctor.finding import Finding

_ENOUGH_CORES = 2
_ENOUGH_MEMORY_B = 10**9
_USUAL_BUFFER_B = 212_992
"""Linux's own default of net.core.rmem_default and rmem_max on 64-bit machines."""


def _tun(root: Path) -> Finding:
    device = root / "dev/net/tun"
    if not device.exists():
        mend = "as root: modprobe tun; in a container: --device /dev/net/tun"
        return Finding("/dev/net/tun", "missing", "does not exist", mend)
    if not os.access(device, os.R_OK | os.W_OK):
        return Finding("/dev/net/tun", "missing", "this user may not open it", f"as root: chmod 666 {device}")
    return Finding("/dev/net/tun", "ok", "can be opened")


def _user_namespaces(root: Path) -> Finding:
    subject = "user namespaces"
    off = [
        f"{name}={value}"
        for name, value, bad in (
            ("user.max_user_namespaces", _sysctl(root, "user/max_user_namespaces"), "0"),
            ("kernel.unprivileged_userns_clone", _sysctl(root, "kernel/unprivileged_userns_clone"), "0"),
            (
                "kernel.apparmor_restrict_unprivileged_userns",
                _sysctl(root, "kernel/apparmor_restrict_unprivileged_userns"),
                "1",
            ),
        )
        if value == bad
    ]
    if not off:
        return Finding(subject, "ok", "no kernel setting forbids them")
    good = {
        "user.max_user_namespaces=0": "user.max_user_namespaces=10000",
        "kernel.unprivileged_userns_clone=0": "kernel.unprivileged_userns_clone=1",
        "kernel.apparmor_restrict_unprivileged_userns=1": "kernel.apparmor_restrict_unprivileged_userns=0",
    }
    mend = "as root: sysctl -w " + " ".join(good[setting] for setting in off)
    whose = " (AppArmor, as Ubuntu ships it since 24.04)" if "apparmor" in off[-1] else ""
    return Finding(
        subject, "note", f"denied to ordinary users by {', '.join(off)}{whose}; root does not need them", mend
    )


def _tcp_congestion_controls(root: Path) -> Finding:
    there = (_sysctl(root, "net/ipv4/tcp_available_congestion_control") or "").split()
    subject, listed = "TCP congestion control", " ".join(there) or "unknown"
    if "cubic" not in there:
        return Finding(
            subject, "note", f"{listed}; the default, cubic, is not listed", "as root: modprobe tcp_cubic"
        )
    if "bbr" not in there:
        return Finding(subject, "note", f"{listed}; arms with @bbr need bbr", "as root: modprobe tcp_bbr")
    return Finding(subject, "ok", listed)


def _ipv6(root: Path) -> Finding:
    if (root / "proc/sys/net/ipv6").exists():
        return Finding("IPv6", "ok", "paths with family = 6 can be measured")
    mend = "boot without ipv6.disable=1; or use --clock virtual, whose kernel has IPv6"
    return Finding("IPv6", "note", "this kernel has none, which paths with family = 6 need", mend)


def _udp_buffers(root: Path) -> Finding:
    subject = "UDP buffers"
    sizes = {name: _sysctl(root, f"net/core/{name}") for name in ("rmem_default", "rmem_max", "wmem_max")}
    shown = ", ".join(f"{name} {value} bytes" for name, value in sizes.items() if value)
    if not shown:
        return Finding(subject, "ok", "this host does not show them; trials count overflows")
    receiving = [int(size) for name, size in sizes.items() if size and name.startswith("rmem")]
    if receiving and min(receiving) < _USUAL_BUFFER_B:
        mend = "as root: sysctl -w net.core.rmem_max=7500000 net.core.rmem_default=7500000"
        detail = f"{shown}; below Linux's usual {_USUAL_BUFFER_B}, so the host may drop h3's datagrams"
        return Finding(subject, "note", detail, mend)
    return Finding(subject, "ok", shown)


def _cores(root: Path) -> Finding:
    del root
    cores = len(os.sched_getaffinity(0))
    if cores < _ENOUGH_CORES:
        mend = f"give this machine {_ENOUGH_CORES} cores or more"
        return Finding(
            "cores", "note", f"{cores}; path, origin and client share it, so CPU-bound paths suffer", mend
        )
    return Finding("cores", "ok", str(cores))


def _governor(root: Path) -> Finding:
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({_read(file).strip() for file in files} - {""})
    if not governors:
        return Finding("CPU governor", "ok", "this host does not show it, like most virtual machines")
    if governors != ["performance"]:
        mend = "as root: cpupower frequency-set -g performance"
        return Finding(
            "CPU governor", "note", f"{', '.join(governors)}; CPU clocks vary during measurements", mend
        )
    return Finding("CPU governor", "ok", "performance")


def _load(root: Path) -> Finding:
    del root
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    detail = f"{load:.1f} over the last minute on {cores} cores"
    if load > cores / 2:
        return Finding("load", "note", detail, "wait, or end other programs; otherwise trials are discarded")
    return Finding("load", "ok", detail)


def _memory(root: Path) -> Finding:
    for line in _read(root / "proc/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            available = int(value.split()[0]) * 1024
            detail = f"{available / 1e9:.1f} GB available"
            if available < _ENOUGH_MEMORY_B:
                return Finding("memory", "note", detail, "free 1 GB, or run with --jobs 1")
            return Finding("memory", "ok", detail)
    return Finding("memory", "ok", "this host does not show it")


def _sysctl(root: Path, name: str) -> str | None:
    return _read(root / "proc/sys" / name).strip() or None


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


LOOKS: tuple[Callable[[Path], Finding], ...] = (
    _tun,
    _user_namespaces,
    _tcp_congestion_controls,
    _ipv6,
    _udp_buffers,
    _cores,
    _governor,
    _load,
    _memory,
)
"""Each look at the host; its argument is the folder under which /proc, /sys and /dev are read."""
