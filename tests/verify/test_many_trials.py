"""A run of 100 000 trials is summarised and reported on in bounded memory, and in time that grows with their
number, not faster."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pronghorn.model import toml_text
from pronghorn.model.trial import Cell, Metrics, PageLoad, RunHeader, Trial, record
from pronghorn.model.why import PARTS, HeadOfLine, StreamWaits, Why
from pronghorn.runs import directory as files
from pronghorn.runs import journal
from pronghorn.runs.prepare import Request, resolve

from ..unit.analysis.pages import page
from ..unit.analysis.pages import resource as requested
from ..unit.analysis.synthetic import trial

ARMS = ("h1", "h2", "h3", "h3+0rtt")
PATHS = ("lan", "fiber", "cable", "dsl", "wifi", "lte", "lte-poor", "lte-poor-both", "leo", "geo")
REQUESTS = 21
WAITS = HeadOfLine(
    stalled_s=0.1,
    byte_seconds=100.0,
    counted=REQUESTS,
    streams=[StreamWaits(connection=0, id=4 * number, path=f"/{number}") for number in range(3)],
)
LIMIT_BYTES = 2e9
TRIALS = 100_000

EXPERIMENT = f"""
name = "Many"
sites = ["small"]
paths = {json.dumps(PATHS)}
arms = {json.dumps(ARMS)}
repeat = 2500
"""


class Used(NamedTuple):
    """What a report took: CPU seconds, and the largest resident set in bytes."""

    cpu_s: float
    memory_bytes: float


def written(run: Path, trials: int) -> Path:
    """A run's directory with so many trials, each with the requests of a small page."""
    run.mkdir()
    source = run.with_suffix(".toml")
    source.write_text(EXPERIMENT, encoding="utf-8")
    experiment = resolve(Request(str(source), seed=1))
    (run / files.EXPERIMENT).write_text(toml_text.dumps(experiment.resolved()), encoding="utf-8")
    (run / files.MANIFEST).write_text('{"ended": "2026-11-22T00:00:00Z"}', encoding="utf-8")
    rng = np.random.default_rng(1)
    load = page([requested(number) for number in range(REQUESTS)])
    with (run / journal.JOURNAL).open("w", encoding="utf-8") as file:
        header = RunHeader(program="test", seed=experiment.seed, experiment=experiment.digest())
        file.write(f"{record(header)}\n")
        for block in range(trials // (len(ARMS) * len(PATHS))):
            for place, path in enumerate(PATHS):
                where = Cell(site="small", path=path, origin="builtin", client="native")
                for arm in ARMS:
                    load_s = 0.1 * 1.4**place * float(rng.lognormal(0.0, 0.2))
                    file.write(f"{record(_trial(where, arm, block, load_s, load))}\n")
    return run


def _trial(where: Cell, arm: str, block: int, load_s: float, load: PageLoad) -> Trial:
    metrics = Metrics(load_s=load_s, ttfb_s=load_s / 3, protocols={"h2": REQUESTS})
    reason = Why(parts=dict.fromkeys(PARTS, load_s / len(PARTS)), head_of_line=WAITS)
    told = {"page": load, "metrics": metrics, "why": reason}
    return trial(where, arm, block, load_s).model_copy(update=told)


def reported(run: Path) -> Used:
    """What `pronghorn report` takes, as a process of its own."""
    code = (
        "import json, resource, sys\n"
        "from pronghorn.__main__ import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code, ended.code\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "report", str(run)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    cpu_s, memory_bytes = json.loads(done.stderr.splitlines()[-1])
    return Used(cpu_s, memory_bytes)


def test_many_trials_are_reported_on_in_bounded_memory_and_linear_time(tmp_path: Path) -> None:
    few = reported(written(tmp_path / "few", TRIALS // 4))
    many = reported(written(tmp_path / "many", TRIALS))
    print(f"{TRIALS // 4} trials: {few}; {TRIALS} trials: {many}")
    assert many.memory_bytes < LIMIT_BYTES
    assert many.cpu_s < 1.5 * 4 * few.cpu_s
