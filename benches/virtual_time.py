#!/usr/bin/env python3
"""How many loads a second virtual time makes, beside a trial that does nothing but begin: a guest that boots,
answers and ends."""

import asyncio
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pronghorn.costs.cost import cores
from pronghorn.guest import kernels
from pronghorn.guest.guest import Guest
from pronghorn.runs import journal

ARMS = ("h1", "h2", "h3")
BLOCKS = 20
BOOTS = 40
EXPERIMENT = f"""\
clock = "virtual"
sites = ["small"]
paths = ["lte"]
arms = {list(ARMS)}
repeat = {BLOCKS}
"""


def boot_s(guests: int) -> float:
    """The time for a guest to boot, answer and end, with so many side by side."""
    kernel = kernels.need()

    async def one(number: int) -> None:
        guest = await Guest.boot(kernel, number)
        await guest.hello()
        await guest.stop()

    async def all_of_them() -> None:
        for first in range(0, BOOTS, guests):
            await asyncio.gather(*(one(number) for number in range(first, first + guests)))

    began = time.perf_counter()
    asyncio.run(all_of_them())
    return (time.perf_counter() - began) / BOOTS


def loads(folder: Path) -> tuple[float, dict[str, float]]:
    """The time that a load of `small` over `lte` takes, guests side by side, and each arm's CPU time."""
    experiment = folder / "experiment.toml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    command = [sys.executable, "-m", "pronghorn", "run", str(experiment), "--out", str(folder / "run")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    trials = journal.read(folder / "run").trials
    of_arm = {arm: [trial for trial in trials if trial.arm == arm] for arm in ARMS}
    cpu = {
        arm: sum(trial.cpu.guest_s or 0.0 for trial in found) / len(found) for arm, found in of_arm.items()
    }
    began_s = [datetime.fromisoformat(trial.started).timestamp() for trial in trials]
    ended_s = [began + trial.metrics.wall_s for began, trial in zip(began_s, trials, strict=True)]
    return (max(ended_s) - min(began_s)) / len(trials), cpu


if __name__ == "__main__":
    each_boot_s = boot_s(cores())
    with tempfile.TemporaryDirectory() as temporary:
        each_s, cpu_s = loads(Path(temporary))
    table = Table(title=f"Virtual time on {cores()} CPUs", title_justify="left")
    for heading in ("", "ms", "a second"):
        table.add_column(heading, justify="right" if heading else "left")
    rows = {"a guest that boots, answers and ends": each_boot_s, "a load of small over lte": each_s}
    for what, seconds in rows.items():
        table.add_row(what, f"{1e3 * seconds:.0f}", f"{1 / seconds:.1f}")
    for arm, seconds in cpu_s.items():
        table.add_row(f"{arm}: the guest's CPU time during the load", f"{1e3 * seconds:.0f}", "")
    Console(width=100).print(table)
    print("The CPU sets the pace: a trial takes its guest's start, its programs' start and the load itself.")
