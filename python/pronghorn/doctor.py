"""What this host can do for an experiment, and how to mend what it can't."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.text import Text

from pronghorn import __version__
from pronghorn.engine import Hello, locate
from pronghorn.errors import EXIT_HOST, EXIT_OK, HostError

State = Literal["ok", "missing", "note"]
_HELLO = json.dumps({"id": 1, "op": "hello"}) + "\n"
_PATIENCE_S = 20.0
_ENOUGH_CORES = 2
_ENOUGH_MEMORY_B = 10**9
_USUAL_BUFFER_B = 212_992
"""Linux's own default of net.core.rmem_default and rmem_max on 64-bit machines."""
_COLOURS = {"ok": "green", "missing": "red", "note": "yellow"}


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `missing`: experiments on emulated paths don't work; `note`: they do, with this to
    know. `mend` is what would change it."""

    subject: str
    state: State
    detail: str
    mend: str | None = None


def main(console: Console | None = None, root: Path = Path("/")) -> int:
    """Prints every finding on `console` (None: stdout). Returns 0, or 3 where anything is missing.

    `root` is the folder under which /proc, /sys and /dev are read.
    """
    out = console or Console(highlight=False)
    findings = list(examine(root))
    width = max(len(finding.subject) for finding in findings)
    out.print(f"pronghorn {__version__} on Linux {os.uname().release}", soft_wrap=True)
    for finding in findings:
        state = Text(f"{finding.state:8}", _COLOURS[finding.state])
        out.print(state + Text(f"{finding.subject:{width}}  {finding.detail}", ""), soft_wrap=True)
        if finding.mend:
            out.print(Text(f"{'':8}{'':{width}}  mend: {finding.mend}"), soft_wrap=True)
    return EXIT_HOST if any(finding.state == "missing" for finding in findings) else EXIT_OK


def examine(root: Path) -> Iterator[Finding]:
    """Every finding, the decisive ones first."""
    yield from _engine()
    for look in _LOOKS:
        yield look(root)


def hello() -> Hello:
    """What the engine says of this host; HostError where there is no engine or it doesn't answer."""
    program = locate()
    try:
        done = subprocess.run([program], input=_HELLO, capture_output=True, text=True, timeout=_PATIENCE_S)
        answer = json.loads(done.stdout.partition("\n")[0])
        return Hello.model_validate(answer["ok"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        raise HostError(
            f"{program} doesn't answer: {error}", hint="Build it anew with 'make build'."
        ) from error


def lacks_engine() -> str | None:
    """The mend where there is no working engine, else None."""
    try:
        hello()
    except HostError as error:
        return error.hint or error.message
    return None


def lacks_namespaces() -> str | None:
    """The mend where this host can't emulate a path, else None."""
    try:
        answer = hello()
    except HostError as error:
        return error.hint or error.message
    if answer.isolation == "none":
        return answer.mend or answer.isolation_reason or "see pronghorn doctor"
    return None


def _engine() -> Iterator[Finding]:
    try:
        answer = hello()
    except HostError as error:
        yield Finding("engine", "missing", error.message, error.hint)
        return
    yield Finding("engine", "ok", f"version {answer.version}")
    if answer.isolation == "none":
        reason = answer.isolation_reason or "denied"
        yield Finding("emulated paths", "missing", f"{reason}; only the path 'direct' works", answer.mend)
    else:
        yield Finding("emulated paths", "ok", f"work, isolated by: {answer.isolation}")


def _tun(root: Path) -> Finding:
    device = root / "dev/net/tun"
    if not device.exists():
        mend = "as root: modprobe tun; in a container: --device /dev/net/tun"
        return Finding("/dev/net/tun", "missing", "is not there", mend)
    if not os.access(device, os.R_OK | os.W_OK):
        return Finding("/dev/net/tun", "missing", "is not yours to open", f"as root: chmod 666 {device}")
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
        return Finding(subject, "ok", "no setting of the kernel stands against them")
    good = {
        "user.max_user_namespaces=0": "user.max_user_namespaces=10000",
        "kernel.unprivileged_userns_clone=0": "kernel.unprivileged_userns_clone=1",
        "kernel.apparmor_restrict_unprivileged_userns=1": "kernel.apparmor_restrict_unprivileged_userns=0",
    }
    mend = "as root: sysctl -w " + " ".join(good[setting] for setting in off)
    return Finding(
        subject, "note", f"denied to ordinary users by {', '.join(off)}; root can do without", mend
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


def _udp_buffers(root: Path) -> Finding:
    subject = "UDP buffers"
    sizes = {name: _sysctl(root, f"net/core/{name}") for name in ("rmem_default", "rmem_max", "wmem_max")}
    shown = ", ".join(f"{name} {value} bytes" for name, value in sizes.items() if value)
    if not shown:
        return Finding(subject, "ok", "not shown by this host; trials count what overflows")
    receiving = [int(size) for name, size in sizes.items() if size and name.startswith("rmem")]
    if receiving and min(receiving) < _USUAL_BUFFER_B:
        mend = "as root: sysctl -w net.core.rmem_max=7500000 net.core.rmem_default=7500000"
        detail = f"{shown}; below Linux's usual {_USUAL_BUFFER_B}, h3 may lose datagrams in the host"
        return Finding(subject, "note", detail, mend)
    return Finding(subject, "ok", shown)


def _cores(root: Path) -> Finding:
    del root
    cores = len(os.sched_getaffinity(0))
    if cores < _ENOUGH_CORES:
        mend = f"give this machine {_ENOUGH_CORES} cores or more"
        return Finding(
            "cores", "note", f"{cores}; path, origin and client share it, CPU-bound paths suffer", mend
        )
    return Finding("cores", "ok", str(cores))


def _governor(root: Path) -> Finding:
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({_read(file).strip() for file in files} - {""})
    if not governors:
        return Finding("CPU governor", "ok", "not shown by this host, as in most virtual machines")
    if governors != ["performance"]:
        mend = "as root: cpupower frequency-set -g performance"
        return Finding("CPU governor", "note", f"{', '.join(governors)}; clocks vary while measuring", mend)
    return Finding("CPU governor", "ok", "performance")


def _load(root: Path) -> Finding:
    del root
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    detail = f"{load:.1f} over the last minute on {cores} cores"
    if load > cores / 2:
        return Finding("load", "note", detail, "wait, or end what else runs, for trials that can be trusted")
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
    return Finding("memory", "ok", "not shown by this host")


def _sysctl(root: Path, name: str) -> str | None:
    return _read(root / "proc/sys" / name).strip() or None


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


_LOOKS: tuple[Callable[[Path], Finding], ...] = (
    _tun,
    _user_namespaces,
    _tcp_congestion_controls,
    _udp_buffers,
    _cores,
    _governor,
    _load,
    _memory,
)
