"""The manifest: with what, on what and how a run was made, as far as it could explain a result."""

import os
import platform
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pronghorn import __version__, clients, origins, repository
from pronghorn.engine import Hello
from pronghorn.fairness import labels
from pronghorn.host import awake, loopback, temporary_folders
from pronghorn.knobs import effective
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial

SYSCTLS = (
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.core.default_qdisc",
    "net.core.netdev_max_backlog",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_recovery",
    "net.ipv4.tcp_early_retrans",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_fastopen",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_mtu_probing",
)

BENCH_SYSCTLS = {
    "net.ipv4.tcp_no_metrics_save": "1; if the kernel refuses it, nothing is measured after a warm-up"
}
"""What the engine sets in a bench's hosts, whose other settings are those of new network namespaces. TCP's
metrics are empty in new hosts. This setting keeps a warm-up's or a kept load's connections from filling them.
"""


def opening(
    experiment: Experiment, hello: Hello, *, command_line: Sequence[str], jobs: int, started: str
) -> dict[str, Any]:
    """What is known when a run starts. `started` is UTC in ISO 8601."""
    return {
        "program": __version__,
        "commit": repository.commit(),
        "engine": hello.version,
        "command_line": list(command_line),
        "started": started,
        "ended": None,
        "name": experiment.name,
        "seed": experiment.seed,
        "experiment": experiment.digest(),
        "fair": experiment.fair,
        "jobs": jobs,
        "isolation": hello.isolation,
        "isolation_reason": hello.isolation_reason,
        "host": host(),
        # A guest has settings of its own: those that matter stand with each trial (`counters.host.tcp`).
        "sysctls": {} if experiment.virtual else sysctls(),
        "bench_sysctls": BENCH_SYSCTLS if any(path.spec for path in experiment.paths) else {},
        "libraries": hello.libraries,
        "paths": {path.name: path.spec.to_manifest() if path.spec else None for path in experiment.paths},
        "path_sources": {path.name: path.source for path in experiment.paths if path.source},
        "origins": {name: origins.of(experiment, name).identity() for name in experiment.origins},
        "clients": {name: clients.of(experiment, name).identity() for name in experiment.clients},
        "arms": {arm.name: _arm(experiment, arm, []) for arm in experiment.arms},
        "warnings": [],
    }


def closing(experiment: Experiment, trials: Sequence[Trial], *, ended: str) -> dict[str, Any]:
    """What is known when a run ends, to be put over its opening."""
    overheads = [trial.metrics.overhead_s for trial in trials if trial.status == "ok"]
    discards = Counter(trial.arm for trial in trials if trial.status == "contaminated")
    return {
        "ended": ended,
        "trials": len(trials),
        "overhead_s": {"median": round(statistics.median(overheads), 6) if overheads else None},
        "offloads": offloads(trials),
        "discards": {arm.name: discards[arm.name] for arm in experiment.arms},
        "arms": {arm.name: _arm(experiment, arm, trials) for arm in experiment.arms},
    }


def read_back(trials: Sequence[Trial]) -> dict[str, list[str]]:
    """What the connections of `trials` really ran, each setting with every value that was seen."""
    seen: dict[str, set[str]] = {}
    for trial in trials:
        for connection in trial.page.connections if trial.page else []:
            for key in ("alpn", "tls_version", "cipher", "key_exchange"):
                _note(seen, key, getattr(connection, key))
            _note(seen, "client_congestion_control", connection.congestion_control)
            _note(seen, "client_udp_receive_buffer", _bytes(connection.udp_receive_buffer))
        for served in trial.origin_connections:
            _note(seen, "origin_congestion_control", served.congestion_control)
            _note(seen, "origin_udp_receive_buffer", _bytes(served.udp_receive_buffer))
    return {key: sorted(values) for key, values in seen.items()}


def offloads(trials: Sequence[Trial]) -> list[str]:
    """The offloads that every bench's devices were granted; without `uso` the kernel cut UDP itself."""
    granted = [
        set(trial.counters.host.offloads)
        for trial in trials
        if trial.counters is not None and trial.counters.host is not None
    ]
    return sorted(set.intersection(*granted)) if granted else []


def host() -> dict[str, Any]:
    """This host: kernel, CPU, memory in bytes, governor (None where the kernel does not say), whether its
    CPUs are kept from halting, whether browsers write to memory or to a disk."""
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "governor": governor(),
        "kept_awake": awake.kept(),
        "browsers_in_memory": temporary_folders.has_memory(),
        labels.BBR_VERSION: _read(Path("/sys/module/tcp_bbr/version")),
        "load_average": round(os.getloadavg()[0], 2),
        "system": _system(),
        "python": platform.python_version(),
    }


def governor() -> str | None:
    """The CPU frequency governor, or None."""
    return _read(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))


def sysctls() -> dict[str, str]:
    """The kernel's network settings, as far as they can be read here."""
    found = {name: _read(Path("/proc/sys") / name.replace(".", "/")) for name in SYSCTLS}
    return {name: " ".join(value.split()) for name, value in found.items() if value is not None}


def _arm(experiment: Experiment, arm: Arm, trials: Sequence[Trial]) -> dict[str, Any]:
    """What an arm asks for, its knobs by the cells in which they hold, and for each origin what is known of
    its sending side and what was read back from `trials`."""
    return {
        "protocol": arm.protocol,
        "congestion_control": arm.congestion_control,
        "discovery": arm.discovery,
        "options": sorted(arm.options),
        "knobs": _knobs(experiment, arm),
        "origins": {
            name: _sending(experiment, arm, name)
            | read_back([trial for trial in trials if trial.arm == arm.name and trial.cell.origin == name])
            for name in experiment.origins
        },
    }


def _knobs(experiment: Experiment, arm: Arm) -> list[dict[str, Any]]:
    """The knobs that hold for an arm, each set of them with its cells; none where nothing is asked."""
    cells: dict[str, list[str]] = {}
    asked: dict[str, dict[str, Any]] = {}
    for cell in experiment.cells():
        knobs = effective.of_arm(experiment, cell, arm)
        if knobs.asked():
            cells.setdefault(repr(knobs), []).append(str(cell))
            asked[repr(knobs)] = knobs.asked()
    return [{"cells": cells[key], "knobs": asked[key]} for key in cells]


def _sending(experiment: Experiment, arm: Arm, origin: str) -> dict[str, Any]:
    """What is known of an origin's sending side: as it ships it, but for an initial window that is asked."""
    cells = [cell for cell in experiment.cells() if cell.origin == origin]
    runs = [loopback.arm_in(arm, cell) for cell in cells]
    told: dict[str, Any] = dict(origins.of(experiment, origin).settings(runs[0]))
    controls = sorted({one.congestion_control for one in runs})
    if len(controls) > 1:
        told["congestion_control"] = controls
    asked = {effective.initial_window_bytes(experiment, cell, arm) for cell in cells}
    if asked - {None}:
        shipped = told.get("initial_window", "as it ships it")
        windows = sorted({shipped if size is None else f"{size} bytes" for size in asked})
        told["initial_window"] = windows[0] if len(windows) == 1 else windows
    return told


def _note(seen: dict[str, set[str]], key: str, value: str | None) -> None:
    if value is not None:
        seen.setdefault(key, set()).add(value)


def _bytes(size: int | None) -> str | None:
    return None if size is None else f"{size} bytes"


def _cpu_model() -> str | None:
    for line in (_read(Path("/proc/cpuinfo")) or "").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return None


def _system() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
