#!/usr/bin/env python3
"""What a trial of a recorded page of 300 requests costs beyond its load, beside a folder of as many files."""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from tables import print_times

from pronghorn.runs import journal

REQUESTS = 300
LIMIT_S = 0.080
EXPERIMENT = """\
sites = ["dir:page", "archive:recorded"]
paths = ["near"]
arms = ["h1", "h2", "h3"]
repeat = 10

[path.near]
down = { rate = "100Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "100Mbit", delay = "10ms", queue = "256kB" }
"""


def make_page(folder: Path) -> None:
    """A page with images of 1 to 8 kB."""
    draw = Random(1)
    folder.mkdir()
    names = [f"{number}.png" for number in range(1, REQUESTS)]
    for name in names:
        (folder / name).write_bytes(b"\x89PNG\r\n\x1a\n" + draw.randbytes(draw.randrange(1000, 8000)))
    images = "".join(f'<img src="{name}">\n' for name in names)
    (folder / "index.html").write_text(f"<!doctype html><title>page</title>\n{images}", encoding="utf-8")


def measure(folder: Path) -> dict[str, list[float]]:
    """Load times and overheads in seconds by site, of trials one by one."""
    make_page(folder / "page")
    (folder / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    for words in (
        ["import", "page", "--out", "recorded"],
        ["run", "experiment.toml", "--out", "run", "--jobs", "1"],
    ):
        subprocess.run(
            [sys.executable, "-m", "pronghorn", *words],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    times: dict[str, list[float]] = {}
    trials = [trial for trial in journal.read(folder / "run").trials if trial.status == "ok"]
    for kind in ("dir", "archive"):
        found = [trial.metrics for trial in trials if trial.site.startswith(kind)]
        times[f"{kind}: load"] = [metrics.load_s or 0.0 for metrics in found]
        times[f"{kind}: overhead"] = [metrics.overhead_s for metrics in found]
    return times


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        measured = measure(Path(temporary))
        print_times("A trial of 300 requests, from a folder and recorded", measured)
        more = statistics.median(measured["archive: overhead"]) - statistics.median(measured["dir: overhead"])
        print(f"recorded: {more * 1e3:+.1f} ms a trial (aim: at most {LIMIT_S * 1e3:.0f} ms)")
