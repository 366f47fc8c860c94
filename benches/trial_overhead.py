#!/usr/bin/env python3
"""What a trial costs beyond its load, by arm, beside the load itself."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tables import print_times

from pronghorn.runs import journal

ARMS = ("h1", "h2", "h3")
EXPERIMENT = f"""\
sites = ["small"]
paths = ["near"]
arms = {list(ARMS)}
repeat = 15

[path.near]
down = {{ rate = "100Mbit", delay = "10ms", queue = "256kB" }}
up = {{ rate = "100Mbit", delay = "10ms", queue = "256kB" }}
"""


def measure(folder: Path) -> dict[str, list[float]]:
    """Load times and overheads in seconds, of trials one by one."""
    (folder / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    command = [sys.executable, "-m", "pronghorn", "run", "experiment.toml", "--out", "run", "--jobs", "1"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times: dict[str, list[float]] = {}
    trials = [trial for trial in journal.read(folder / "run").trials if trial.status == "ok"]
    for arm in ARMS:
        found = [trial.metrics for trial in trials if trial.arm == arm]
        times[f"{arm}: load"] = [metrics.load_s or 0.0 for metrics in found]
        times[f"{arm}: overhead"] = [metrics.overhead_s for metrics in found]
    return times


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        print_times("A trial: its load, and what it costs beyond it", measure(Path(temporary)))
